import CommandLineOptions
import Files
import Glibc
import Testing

@testable import Enqueue

private func items(_ arguments: [String], standardInput: Int32 = 0) throws -> [PictureSource.Item] {
    guard
        case .run(let values) = try EnqueueOptions.table.parse(arguments + ["--pt", "1x1"], environment: [:])
    else { return [] }
    var source = try PictureSource(try EnqueueRequest(values), standardInput: standardInput)
    var all: [PictureSource.Item] = []
    while let item = try source.next() { all.append(item) }
    return all
}

@Test func `jobs name absolute paths without links, or paths relative to a directory`() throws {
    let scratch = Scratch()
    scratch.directory("photos")
    scratch.directory("photos/2026")
    scratch.file("photos/2026/a.jpg")
    scratch.link("alias", to: "photos")
    let absolute = [PictureSource.Item.job(source: scratch.path("photos/2026/a.jpg"))]
    #expect(try items(["--dir", scratch.path("photos")]) == absolute)
    #expect(try items(["--dir", scratch.path("alias/../alias")]) == absolute)
    let relative = [PictureSource.Item.job(source: "2026/a.jpg")]
    #expect(
        try items(["--dir", scratch.path("alias/2026"), "--relative-to", scratch.path("alias")]) == relative)
    let outside = try items([
        "--dir", scratch.path("photos"), "--relative-to", scratch.path("photos/2026/.."),
    ])
    #expect(outside == relative)
}

@Test func `a picture outside the base is skipped and named`() throws {
    let scratch = Scratch()
    scratch.directory("a")
    scratch.directory("b")
    scratch.file("a/1.jpg")
    #expect(
        try items(["--dir", scratch.path("a"), "--relative-to", scratch.path("b")]) == [
            .skipped(scratch.path("a/1.jpg"), .notBeneath(scratch.path("b")))
        ])
}

@Test func `several directories follow one another, and a wrong one is told first`() throws {
    let scratch = Scratch()
    for name in ["a", "b"] {
        scratch.directory(name)
        scratch.file("\(name)/1.jpg")
    }
    #expect(
        try items(["--dir", scratch.path("b"), "--dir", scratch.path("a")]) == [
            .job(source: scratch.path("b/1.jpg")), .job(source: scratch.path("a/1.jpg")),
        ])
    #expect(throws: FileError.directoryUnusable(scratch.path("c"), SystemError(ENOENT))) {
        try items(["--dir", scratch.path("a"), "--dir", scratch.path("c")])
    }
}

@Test func `a list is read by its separator, and its files need not be here`() throws {
    let scratch = Scratch()
    let long = String(repeating: "n", count: 5_000)
    scratch.file(
        "lines",
        Array("/x/a.jpg\n\n/x/b c.jpg\r\n/x/../y/d.jpg\n".utf8) + [0xFF] + Array("\n\(long)\n/x/last".utf8))
    let lines = try items(["--files-from", scratch.path("lines"), "--relative-to", "/"])
    #expect(
        lines == [
            .job(source: "x/a.jpg"), .job(source: "x/b c.jpg"), .job(source: "y/d.jpg"),
            .skipped("\u{FFFD}", .nameIsNoText), .skipped(String(long.prefix(80)) + "…", .pathTooLong),
            .job(source: "x/last"),
        ])
    scratch.file("zeros", Array("/x/a\nb.jpg\0/x/c.jpg\r\0".utf8))
    #expect(
        try items(["--files-from", scratch.path("zeros"), "--null"]) == [
            .job(source: "/x/a\nb.jpg"), .job(source: "/x/c.jpg\r"),
        ])
    scratch.file("empty", [])
    #expect(try items(["--files-from", scratch.path("empty")]) == [])
    #expect(throws: FileError.sourceUnreadable(scratch.path("none"), SystemError(ENOENT))) {
        try items(["--files-from", scratch.path("none")])
    }
}

@Test func `a list is cut at the same places however it arrives`() throws {
    let scratch = Scratch()
    let names = (0..<20_000).map { "/x/" + String(repeating: "n", count: $0 % 200) + "\($0).jpg" }
    scratch.file("list", Array(names.joined(separator: "\n").utf8))
    #expect(try items(["--files-from", scratch.path("list")]) == names.map { .job(source: $0) })
}

@Test func `a relative path in a list starts at the working directory`() {
    let paths = JobPaths(relativeTo: nil, workingDirectory: "/home/me")
    #expect(paths.jobPath(of: "a/./b.jpg") == "/home/me/a/b.jpg")
    #expect(paths.jobPath(of: "../you//b.jpg") == "/home/you/b.jpg")
    let relative = JobPaths(relativeTo: "/home/me/photos", workingDirectory: "/home/me")
    #expect(relative.jobPath(of: "photos/a.jpg") == "a.jpg")
    #expect(relative.jobPath(of: "photos") == nil)
    #expect(relative.jobPath(of: "photos-2/a.jpg") == nil)
}
