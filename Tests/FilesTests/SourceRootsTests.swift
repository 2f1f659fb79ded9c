import FoundationEssentials
import Glibc
import Testing
import Units

@testable import Files

/// Every rule holds whether the kernel resolves the path or we do.
private let resolutions: [RootDirectory.Resolution] = [.kernel, .byComponent]

private func text(_ file: SourceFile) throws -> String {
    try file.readAll(limit: .mebibytes(1)).withBytes { span in
        String(decoding: unsafe span.withUnsafeBytes { unsafe Array($0) }, as: UTF8.self)
    }
}

@Test(arguments: resolutions)
func `a relative path starts at the first root that has it`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    let first = scratch.directory("first")
    let second = scratch.directory("second")
    scratch.file("first/a.jpg", Array("first".utf8))
    scratch.file("second/a.jpg", Array("second".utf8))
    scratch.file("second/b.jpg", Array("only second".utf8))
    let roots = try SourceRoots([first, second], resolution: resolution)
    #expect(try text(roots.open("a.jpg")) == "first")
    #expect(try text(roots.open("b.jpg")) == "only second")
    #expect(throws: FileError.notFound("c.jpg")) { try roots.open("c.jpg") }
    #expect(throws: FileError.notFound("a.jpg/b")) { try roots.open("a.jpg/b") }
}

@Test(arguments: resolutions)
func `an absolute path must lie beneath a root`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    let root = scratch.directory("root")
    scratch.file("root/a.jpg")
    scratch.file("outside.jpg")
    _ = scratch.directory("root-not")
    scratch.file("root-not/a.jpg")
    scratch.link("alias", to: "root")
    let roots = try SourceRoots([root], resolution: resolution)
    let file = try roots.open("\(root)/./a.jpg")
    #expect(file.relativePath == "a.jpg")
    #expect(file.path == "\(root)/./a.jpg")
    for path in ["outside.jpg", "root-not/a.jpg", "root/../outside.jpg", "root/../root/../outside.jpg"] {
        let path = scratch.path(path)
        #expect(throws: FileError.outsideRoots(path)) { try roots.open(path) }
    }

    // A root may be named through a link; both names of it are then beneath it.
    let aliased = try SourceRoots([scratch.path("alias")], resolution: resolution)
    #expect(aliased.directories == roots.directories)
    #expect(try aliased.open("\(root)/a.jpg").relativePath == "a.jpg")
    #expect(try aliased.open(scratch.path("alias/a.jpg")).relativePath == "a.jpg")
}

@Test(arguments: resolutions)
func `dots that stay beneath are fine and those that leave are not`(
    resolution: RootDirectory.Resolution
) throws {
    let scratch = Scratch()
    let root = scratch.directory("root")
    _ = scratch.directory("root/deep")
    _ = scratch.directory("root/deep/er")
    scratch.file("root/a.jpg")
    scratch.file("root/deep/b.jpg")
    scratch.file("outside.jpg")
    let roots = try SourceRoots([root], resolution: resolution)
    #expect(try roots.open("deep/../a.jpg").relativePath == "a.jpg")
    #expect(try roots.open("deep/er/.././b.jpg").relativePath == "deep/b.jpg")
    for path in [
        "..", "../outside.jpg", "deep/../../outside.jpg", "../root/a.jpg", "deep/er/../../../root/a.jpg",
    ] {
        #expect(throws: FileError.outsideRoots(path)) { try roots.open(path) }
    }
    #expect(throws: FileError.notFound("missing/../a.jpg")) { try roots.open("missing/../a.jpg") }
}

@Test(arguments: resolutions)
func `links that stay beneath are followed and those that leave are not`(
    resolution: RootDirectory.Resolution
) throws {
    let scratch = Scratch()
    let root = scratch.directory("root")
    _ = scratch.directory("root/deep")
    scratch.file("root/deep/a.jpg", Array("inside".utf8))
    scratch.file("outside.jpg")
    scratch.link("root/file", to: "deep/a.jpg")
    scratch.link("root/directory", to: "deep")
    scratch.link("root/deep/up", to: "../deep/a.jpg")
    scratch.link("root/chain", to: "directory/up")
    scratch.link("root/absolute", to: "\(root)/deep/a.jpg")
    scratch.link("root/deep/absolute-directory", to: root)
    scratch.link("root/out", to: "../outside.jpg")
    scratch.link("root/out-absolute", to: scratch.path("outside.jpg"))
    scratch.link("root/out-directory", to: "..")
    scratch.link("root/out-and-in", to: "../root/deep/a.jpg")
    scratch.link("root/dangling", to: "nowhere.jpg")
    scratch.link("root/loop", to: "loop")
    let roots = try SourceRoots([root], resolution: resolution)
    let inside = [
        "file", "directory/a.jpg", "deep/up", "chain", "absolute", "deep/absolute-directory/deep/a.jpg",
        "directory/absolute-directory/chain", "directory/../file",
    ]
    for path in inside {
        #expect(try text(roots.open(path)) == "inside", "\(path)")
    }
    for path in [
        "out", "out-absolute", "out-directory/outside.jpg", "out-and-in", "directory/../../outside.jpg",
    ] {
        #expect(throws: FileError.outsideRoots(path)) { try roots.open(path) }
    }
    #expect(throws: FileError.notFound("dangling")) { try roots.open("dangling") }
    #expect(throws: FileError.sourceUnreadable("loop", SystemError(ELOOP))) { try roots.open("loop") }
}

@Test(arguments: resolutions)
func `only regular files are sources, and nothing waits for a writer`(
    resolution: RootDirectory.Resolution
) throws {
    let scratch = Scratch()
    let root = scratch.directory("root")
    _ = scratch.directory("root/directory")
    #expect(unsafe mkfifo(scratch.path("root/fifo"), 0o644) == 0)
    #expect(unsafe mknod(scratch.path("root/socket"), S_IFSOCK | 0o644, 0) == 0)
    let roots = try SourceRoots([root], resolution: resolution)
    for (path, kind) in [
        ("directory", FileKind.directory), ("fifo", .fifo), ("socket", .socket), (".", .directory),
    ] {
        #expect(throws: FileError.notARegularFile(path, found: kind)) { try roots.open(path) }
    }
    let devices = try SourceRoots(["/dev"], resolution: resolution)
    #expect(throws: FileError.notARegularFile("null", found: .characterDevice)) { try devices.open("null") }
}

@Test(arguments: resolutions)
func `files and magic links of proc give no bytes`(resolution: RootDirectory.Resolution) throws {
    let roots = try SourceRoots(["/proc/self"], resolution: resolution)
    let status = try roots.open("status")
    #expect(status.size == .zero)
    #expect(throws: FileError.changedWhileRead("status")) { try status.readAll(limit: .mebibytes(1)) }
    #expect(throws: FileError.outsideRoots("exe")) { try roots.open("exe") }
    #expect(throws: FileError.outsideRoots("root/etc/passwd")) { try roots.open("root/etc/passwd") }
}

@Test func `a path's text is checked before anything is opened`() throws {
    let scratch = Scratch()
    let roots = try SourceRoots([scratch.path])
    #expect(throws: FileError.invalidPath("", .empty)) { try roots.open("") }
    #expect(throws: FileError.invalidPath("a\0b", .containsNUL)) { try roots.open("a\0b") }
    let long = String(repeating: "a/", count: 2_048)
    #expect(throws: FileError.invalidPath(long, .tooLong(limit: 4_095, found: 4_096))) {
        try roots.open(long)
    }
    let longName = String(repeating: "n", count: 256)
    #expect(throws: FileError.sourceUnreadable(longName, SystemError(ENAMETOOLONG))) {
        try roots.open(longName)
    }
    #expect(throws: FileError.directoryUnusable("/nowhere/at/all", SystemError(ENOENT))) {
        try SourceRoots(["/nowhere/at/all"])
    }
    let file = scratch.file("file")
    #expect(throws: FileError.directoryUnusable(file, SystemError(ENOTDIR))) { try SourceRoots([file]) }
}

@Test(arguments: resolutions)
func `a slash splits also where a combining mark follows it`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    let root = scratch.directory("root")
    scratch.file("outside.jpg")
    let roots = try SourceRoots([root], resolution: resolution)
    #expect(throws: FileError.notFound("x/\u{301}")) {
        try roots.open("x/\u{301}")
    }
    #expect(throws: FileError.outsideRoots("../\u{301}/../outside.jpg")) {
        try roots.open("../\u{301}/../outside.jpg")
    }
}

@Test(arguments: resolutions)
func `the file system itself can be the root`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    let file = scratch.file("a.jpg")
    let roots = try SourceRoots(["/"], resolution: resolution)
    #expect(try roots.open(file).relativePath == String(file.dropFirst()))
}

@Test func `a part of a file ends where the file ends`() throws {
    let scratch = Scratch()
    scratch.file("a", Array(0..<100))
    let file = try SourceRoots([scratch.path]).open("a")
    #expect(file.size == ByteCount(100))
    #expect(try file.read(at: 0, count: 3) == [0, 1, 2])
    #expect(try file.read(at: 98, count: 1_000_000_000_000) == [98, 99])
    #expect(try file.read(at: 100, count: 1) == [])
    #expect(try file.read(at: .max, count: .max) == [])
    #expect(try file.read(at: 5, count: 0) == [])
}

@Test func `a whole file is read within its limit`() throws {
    let scratch = Scratch()
    let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    scratch.file("a", content)
    scratch.file("empty", [])
    let roots = try SourceRoots([scratch.path])
    let file = try roots.open("a")
    let bytes = try file.readAll(limit: ByteCount(3_000_000))
    #expect(bytes.count == ByteCount(3_000_000))
    #expect(bytes.withBytes { span in unsafe span.withUnsafeBytes { unsafe $0.elementsEqual(content) } })
    #expect(throws: FileError.tooLarge("a", limit: ByteCount(2_999_999), found: ByteCount(3_000_000))) {
        try file.readAll(limit: ByteCount(2_999_999))
    }
    #expect(try roots.open("empty").readAll(limit: .zero).withBytes { $0.count } == 0)
}

@Test func `a file that shrinks, grows or is rewritten while it is read is told from a whole one`() throws {
    let scratch = Scratch()
    let roots = try SourceRoots([scratch.path])
    for change in ["shrunk", "grown", "rewritten"] {
        let path = scratch.file(change, Array(repeating: 7, count: 10_000))
        scratch.age(change, seconds: 60)
        let file = try roots.open(change)
        switch change {
        case "shrunk": #expect(unsafe truncate(path, 9_999) == 0)
        case "grown": #expect(unsafe truncate(path, 10_001) == 0)
        default: scratch.file(change, Array(repeating: 8, count: 10_000))
        }
        #expect(throws: FileError.changedWhileRead(change)) { try file.readAll(limit: .mebibytes(1)) }
    }
    // Replaced by rename, the open file is still the old one, whole.
    scratch.file("replaced", [1, 2, 3])
    let file = try roots.open("replaced")
    scratch.file("new", [4, 5, 6, 7])
    #expect(unsafe rename(scratch.path("new"), scratch.path("replaced")) == 0)
    #expect(try file.readAll(limit: .mebibytes(1)).withBytes { $0.count } == 3)
}

@Test func `a file larger than memory is refused by the kernel, not by a crash`() throws {
    let scratch = Scratch()
    let path = scratch.file("huge", [])
    let size = Int64(1) << 43
    // Not every file system takes so large a file.
    guard unsafe truncate(path, Int(size)) == 0 else { return }
    let file = try SourceRoots([scratch.path]).open("huge")
    #expect(throws: FileError.tooLarge("huge", limit: .gibibytes(1), found: ByteCount(size))) {
        try file.readAll(limit: .gibibytes(1))
    }
    #expect(throws: FileError.outOfMemory("huge", required: ByteCount(size))) {
        try file.readAll(limit: .max)
    }
}

@Test(arguments: resolutions)
func `sources leave no descriptor and no memory behind`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    let root = scratch.directory("root")
    _ = scratch.directory("root/deep")
    scratch.file("root/deep/a.jpg")
    scratch.file("root/growing", Array(repeating: 1, count: 1 << 20))
    scratch.link("root/absolute", to: "\(root)/deep/../deep/a.jpg")
    scratch.link("root/out", to: "/etc")
    let roots = try SourceRoots([root], resolution: resolution)
    let before = scratch.openDescriptors()
    for _ in 0..<50 {
        #expect(try text(roots.open("absolute")) == "picture")
        for path in ["out/passwd", "missing", "deep", "../x"] {
            #expect(throws: FileError.self) { try roots.open(path) }
        }
    }
    #expect(scratch.openDescriptors() == before)
}
