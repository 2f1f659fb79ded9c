import Files
import Glibc
import PictureFormats
import Testing

@testable import Enqueue

private func findings(_ directory: String) throws -> [DirectoryWalk.Finding] {
    var walk = try DirectoryWalk(directory)
    var all: [DirectoryWalk.Finding] = []
    while let finding = walk.next() { all.append(finding) }
    return all
}

@Test func `pictures come in the order of their bytes, decided by their content`() throws {
    let scratch = Scratch()
    for name in ["b.jpg", "B.jpg", "no-extension", "wrong.png", ".hidden.jpg"] { scratch.file(name) }
    scratch.directory("a")
    scratch.directory("a/deep")
    scratch.directory("empty")
    scratch.file("a/deep/z.jpg")
    scratch.file("a/1.jpg")
    scratch.file("fake.jpg", Array("text".utf8))
    scratch.file("png.jpg", Scratch.png)
    scratch.file("zero.jpg", [])
    #expect(
        try findings(scratch.path) == [
            .picture(".hidden.jpg"), .picture("B.jpg"), .picture("a/1.jpg"), .picture("a/deep/z.jpg"),
            .picture("b.jpg"), .skipped("fake.jpg", .noPicture), .picture("no-extension"),
            .skipped("png.jpg", .otherFormat(.png)), .picture("wrong.png"), .skipped("zero.jpg", .noPicture),
        ])
}

@Test func `links to files beneath the top count, and others are not followed`() throws {
    let scratch = Scratch()
    scratch.directory("top")
    scratch.directory("top/real")
    scratch.file("top/real/a.jpg")
    scratch.file("outside.jpg")
    scratch.link("top/link.jpg", to: "real/a.jpg")
    scratch.link("top/out.jpg", to: "../outside.jpg")
    scratch.link("top/loop", to: ".")
    scratch.link("top/dangling.jpg", to: "nowhere")
    #expect(unsafe mkfifo(scratch.path("top/fifo.jpg"), 0o644) == 0)
    #expect(
        try findings(scratch.path("top")) == [
            .skipped("dangling.jpg", .unreadable(.notFound("dangling.jpg"))),
            .skipped("fifo.jpg", .noPicture),
            .picture("link.jpg"), .skipped("loop", .noPicture),
            .skipped("out.jpg", .unreadable(.outsideRoots("out.jpg"))), .picture("real/a.jpg"),
        ])
}

@Test func `a name that is no text is passed over and told`() throws {
    let scratch = Scratch()
    scratch.file([0xFF, 0x61], Scratch.jpeg)
    scratch.file("a.jpg")
    #expect(try findings(scratch.path) == [.picture("a.jpg"), .skipped("\u{FFFD}a", .nameIsNoText)])
    #expect(unsafe unlink(Array("\(scratch.path)/".utf8CString.dropLast()) + [-1, 97, 0]) == 0)
}

@Test func `a directory that goes away during the walk is a finding, and the walk goes on`() throws {
    let scratch = Scratch()
    scratch.file("a.jpg")
    scratch.directory("b")
    scratch.file("c.jpg")
    var walk = try DirectoryWalk(scratch.path)
    #expect(walk.next() == .picture("a.jpg"))
    #expect(unsafe rmdir(scratch.path("b")) == 0)
    guard case .skipped("b", .unreadable(.directoryUnusable(_, SystemError(ENOENT)))) = walk.next() else {
        Issue.record("the directory was not missed")
        return
    }
    #expect(walk.next() == .picture("c.jpg"))
    #expect(walk.next() == nil)
    #expect(walk.next() == nil)
}

@Test func `a top that is not there is an error`() {
    #expect(throws: FileError.directoryUnusable("nowhere", SystemError(ENOENT))) {
        try DirectoryWalk("nowhere")
    }
}
