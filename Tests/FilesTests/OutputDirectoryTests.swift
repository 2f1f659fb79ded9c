import Glibc
import Synchronization
import Testing
import Units

@testable import Files

private let resolutions: [RootDirectory.Resolution] = [.kernel, .byComponent]

private func output(
    _ scratch: Scratch, _ name: String = "out", _ resolution: RootDirectory.Resolution? = nil
) throws -> OutputDirectory {
    try OutputDirectory(scratch.path(name), workerTag: "w1", resolution: resolution)
}

@Test(arguments: resolutions, [false, true])
func `an output appears whole, with the directories on its way`(
    resolution: RootDirectory.Resolution, durable: Bool
) throws {
    let scratch = Scratch()
    let output = try output(scratch, "made/on/demand", resolution)
    #expect(try output.write([1, 2, 3], to: "120x120@3x/albums/a.jpg", durable: durable) == ByteCount(3))
    #expect(scratch.bytes("made/on/demand/120x120@3x/albums/a.jpg") == [1, 2, 3])
    try output.write([4], to: "120x120@3x/albums/a.jpg", durable: durable)
    try output.write([], to: "x/../120x120@3x/./empty", durable: durable)
    #expect(scratch.bytes("made/on/demand/120x120@3x/albums/a.jpg") == [4])
    #expect(
        scratch.names("made/on/demand") == [
            "120x120@3x/", "120x120@3x/albums/", "120x120@3x/albums/a.jpg", "120x120@3x/empty", "x/",
        ])
    var status = stat()
    #expect(unsafe stat(scratch.path("made/on/demand/120x120@3x/empty"), &status) == 0)
    #expect(status.st_mode & 0o777 & ~0o644 == 0)
}

@Test(arguments: resolutions)
func `an output never leaves its directory`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    _ = scratch.directory("out")
    _ = scratch.directory("elsewhere")
    scratch.link("out/link", to: "../elsewhere")
    scratch.link("out/absolute", to: scratch.path("elsewhere"))
    scratch.link("out/dangling", to: "../made")
    _ = scratch.directory("out/real")
    scratch.link("out/inside", to: "real")
    let output = try output(scratch, "out", resolution)
    let leaving = [
        "../a.jpg", "link/a.jpg", "absolute/a.jpg", "dangling/a.jpg", "real/../../a.jpg",
        scratch.path("elsewhere/a.jpg"), "new/../../a.jpg",
    ]
    for path in leaving {
        #expect(throws: FileError.outsideRoots(path)) { try output.write([1], to: path, durable: false) }
    }
    try output.write([1], to: "inside/a.jpg", durable: false)
    try output.write([2], to: scratch.path("out/real/b.jpg"), durable: false)
    #expect(scratch.names("elsewhere") == [])
    #expect(scratch.names("out/real") == ["a.jpg", "b.jpg"])
    #expect(scratch.bytes("made") == nil)
}

@Test func `a link in the place of the output is replaced, not followed`() throws {
    let scratch = Scratch()
    _ = scratch.directory("out")
    scratch.file("victim", [9])
    scratch.link("out/a.jpg", to: scratch.path("victim"))
    try output(scratch).write([1], to: "a.jpg", durable: false)
    #expect(scratch.bytes("victim") == [9])
    #expect(scratch.bytes("out/a.jpg") == [1])
}

@Test(arguments: resolutions)
func `what is in the way is named, and nothing is left behind`(resolution: RootDirectory.Resolution) throws {
    let scratch = Scratch()
    let output = try output(scratch, "out", resolution)
    _ = scratch.directory("out/directory")
    scratch.file("out/directory/kept")
    scratch.file("out/file")
    let longName = String(repeating: "n", count: 256)
    for (path, number) in [("directory", EISDIR), ("file/a.jpg", ENOTDIR), (longName, ENAMETOOLONG)] {
        #expect(throws: FileError.outputUnwritable(path, SystemError(number))) {
            try output.write([1], to: path, durable: true)
        }
    }
    for path in ["directory/", "a/.", "a/..", "..", ".", "/"] {
        #expect(throws: FileError.self) { try output.write([1], to: path, durable: false) }
    }
    #expect(throws: FileError.invalidPath("", .empty)) { try output.write([1], to: "", durable: false) }
    #expect(scratch.names("out") == ["directory/", "directory/kept", "file"])
}

@Test(arguments: [false, true])
func `a full disk is an error and leaves nothing half written`(durable: Bool) throws {
    let scratch = Scratch()
    guard scratch.mountMemory("out", options: "size=256k") else { return }
    let output = try output(scratch)
    try output.write([UInt8](repeating: 1, count: 100_000), to: "fits", durable: durable)
    #expect(throws: FileError.outputUnwritable("fits", SystemError(ENOSPC))) {
        try output.write([UInt8](repeating: 2, count: 300_000), to: "fits", durable: durable)
    }
    #expect(scratch.bytes("out/fits") == [UInt8](repeating: 1, count: 100_000))
    #expect(scratch.names("out") == ["fits"])
    // The directory's own.
    #expect(scratch.openDescriptors() == 1)
}

@Test func `a read-only directory is an error for its files and can still be opened`() throws {
    let scratch = Scratch()
    guard scratch.mountMemory("out", options: "size=256k") else { return }
    let early = try output(scratch)
    try early.checkWritable()
    guard scratch.makeReadOnly("out") else { return }
    for output in [early, try output(scratch)] {
        #expect(throws: FileError.outputUnwritable("a/b.jpg", SystemError(EROFS))) {
            try output.write([1], to: "a/b.jpg", durable: false)
        }
        #expect(throws: FileError.directoryUnusable(scratch.path("out"), SystemError(EROFS))) {
            try output.checkWritable()
        }
    }
    #expect(throws: FileError.directoryUnusable(scratch.path("out/new"), SystemError(ENOENT))) {
        try OutputDirectory(scratch.path("out/new"), workerTag: "w1")
    }
}

@Test func `many writers of one output end with one whole file`() async throws {
    let scratch = Scratch()
    let path = scratch.path("out")
    try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
            group.addTask {
                let output = try OutputDirectory(path, workerTag: "w\(writer)")
                for _ in 0..<30 {
                    let content = [UInt8](repeating: UInt8(writer), count: 50_000 + writer)
                    try output.write(content, to: "a/b/c.jpg", durable: false)
                }
            }
        }
        try await group.waitForAll()
    }
    let content = try #require(scratch.bytes("out/a/b/c.jpg"))
    let writer = try #require(content.first)
    #expect(content == [UInt8](repeating: writer, count: 50_000 + Int(writer)))
    #expect(scratch.names("out") == ["a/", "a/b/", "a/b/c.jpg"])
    #expect(scratch.openDescriptors() == 0)
}

@Test func `the sweep removes old strays of dead workers and nothing else`() throws {
    let scratch = Scratch()
    let output = try output(scratch)
    _ = scratch.directory("out/deep")
    let stray = "out/deep/.tmp-dead-0123456789abcdef"
    let kept = [
        "out/.tmp-alive-0123456789abcdef", "out/.tmp-w1-0123456789abcdef", "out/.tmp-dead-0123456789ABCDEF",
        "out/.tmp-dead-0123456789abcde", "out/.tmp-0123456789abcdef", "out/tmp-dead-0123456789abcdef",
        "out/.tmp-dead-0123456789abcdef.jpg", "out/picture.jpg",
    ]
    for name in kept + [stray] {
        scratch.file(name)
        scratch.age(name, seconds: 7_200)
    }
    scratch.file("out/.tmp-dead-ffffffffffffffff")
    scratch.age("out/.tmp-dead-ffffffffffffffff", seconds: 3_000)
    scratch.link("out/.tmp-dead-eeeeeeeeeeeeeeee", to: "picture.jpg")
    scratch.age("out/.tmp-dead-eeeeeeeeeeeeeeee", seconds: 7_200)

    #expect(try output.sweepStrayFiles { $0 == "alive" } == 1)
    let left = Set(scratch.names("out"))
    #expect(!left.contains("deep/.tmp-dead-0123456789abcdef"))
    #expect(left.count == kept.count + 3)
    #expect(try output.sweepStrayFiles(olderThan: .seconds(60)) { $0 == "alive" } == 1)
}

@Test func `a worker's own name may contain dashes`() {
    let name = TemporaryName(tag: "host-7_x")
    #expect(TemporaryName(name.text) == name)
    #expect(TemporaryName(tag: "host-7_x") != name)
    #expect(!TemporaryName.isTag(""))
    #expect(!TemporaryName.isTag("a/b"))
    #expect(!TemporaryName.isTag("é"))
}
