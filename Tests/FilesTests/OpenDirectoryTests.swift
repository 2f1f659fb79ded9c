import Files
import Glibc
import Testing

@Test func `a directory's entries come in the order of their bytes, with their kinds`() throws {
    let scratch = Scratch()
    for name in ["b.jpg", "B.jpg", "ä.jpg", "a b.jpg", ".hidden"] { scratch.file(name) }
    _ = scratch.directory("c")
    scratch.file("c/inside.jpg")
    scratch.link("link", to: "b.jpg")
    #expect(unsafe mkfifo(scratch.path("fifo"), 0o644) == 0)
    let directory = try OpenDirectory(scratch.path)
    let entries = try directory.entries()
    #expect(
        entries.map(\.name) == [".hidden", "B.jpg", "a b.jpg", "b.jpg", "c", "fifo", "link", "ä.jpg"])
    let kinds = entries.map(\.kind)
    #expect(kinds[4...6].elementsEqual([.directory, .fifo, .symbolicLink]))
    #expect(kinds.filter { $0 == .regularFile }.count == 5)
    #expect(try directory.directory(entries[4]).entries().map(\.name) == ["inside.jpg"])
    // Twice: reading once does not use the directory up.
    #expect(try directory.entries() == entries)
}

@Test func `a name that is no text keeps its bytes`() throws {
    let scratch = Scratch()
    let name: [CChar] = scratch.path.utf8.map(CChar.init(bitPattern:)) + [47, -1, 97, 0]
    let descriptor = unsafe open(name, O_CREAT | O_WRONLY, 0o644)
    #expect(descriptor >= 0)
    close(descriptor)
    let entries = try OpenDirectory(scratch.path).entries()
    #expect(entries.map(\.nameBytes) == [[255, 97]])
    #expect(entries.map(\.name) == [nil])
    #expect(unsafe unlink(name) == 0)
}

@Test func `links and files are not walked into`() throws {
    let scratch = Scratch()
    _ = scratch.directory("real")
    scratch.link("link", to: "real")
    scratch.file("picture.jpg")
    let directory = try OpenDirectory(scratch.path)
    for entry in try directory.entries() where entry.kind != .directory {
        #expect(throws: FileError.self) { _ = try directory.directory(entry) }
    }
    #expect(throws: FileError.directoryUnusable("nowhere", SystemError(ENOENT))) {
        _ = try OpenDirectory("nowhere")
    }
}
