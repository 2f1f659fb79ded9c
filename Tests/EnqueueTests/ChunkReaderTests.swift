import Glibc
import TestSupport
import Testing
import Threading

@testable import Enqueue

/// The two ends of a pipe.
private struct Pipe {
    let reading: Int32
    let writing: Int32

    /// A FIFO rather than pipe(2): its ends can be opened so that no child of another test, started in
    /// between, has them and keeps the pipe from ending.
    init(_ scratch: Scratch) {
        let made = unsafe mkfifo(scratch.path("fifo"), 0o600)
        reading = unsafe open(scratch.path("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writing = unsafe open(scratch.path("fifo"), O_WRONLY | O_CLOEXEC)
        let waits = fcntl(reading, F_SETFL, 0)
        precondition(made == 0 && reading >= 0 && writing >= 0 && waits == 0)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(writing, bytes, bytes.count)
        precondition(count == bytes.count)
    }
}

@Test func `what a slow program has listed so far is handed on while it goes on looking`() async throws {
    let scratch = Scratch()
    let pipe = Pipe(scratch)
    let reader = try reader(["--files-from", "-"], standardInput: pipe.reading)
    pipe.write("/a.jpg\n/b.jpg\n/half")
    let first = try await BlockingThreads.forTests.run { try reader.read(atMost: 100) }
    #expect(first.jobs.count == 2 && !first.isLast)
    pipe.write("-a-name.jpg\n")
    let second = try await BlockingThreads.forTests.run { try reader.read(atMost: 100) }
    #expect(second.jobs.count == 1 && !second.isLast)
    #expect(String(decoding: second.jobs[0], as: UTF8.self).hasPrefix(#"{"source":"/half-a-name.jpg""#))
    pipe.write("/last.jpg")
    close(pipe.writing)
    let last = try await BlockingThreads.forTests.run { try reader.read(atMost: 100) }
    #expect(last.jobs.count == 1 && last.isLast)
    close(pipe.reading)
}

@Test func `a name that is too long is told once however slowly it comes`() async throws {
    let scratch = Scratch()
    let pipe = Pipe(scratch)
    let reader = try reader(["--files-from", "-"], standardInput: pipe.reading)
    pipe.write("/a.jpg\n/" + String(repeating: "n", count: 9_000))
    let first = try await BlockingThreads.forTests.run { try reader.read(atMost: 100) }
    #expect(first.jobs.count == 1 && first.skipped.isEmpty)
    pipe.write(String(repeating: "n", count: 9_000) + "\n/b.jpg\n")
    close(pipe.writing)
    let last = try await BlockingThreads.forTests.run { try reader.read(atMost: 100) }
    #expect(last.jobs.count == 1 && last.isLast)
    #expect(last.skipped.map(\.reason) == [.pathTooLong])
    close(pipe.reading)
}

@Test func `portions end at their limit, and an empty list is one empty portion`() throws {
    let scratch = Scratch()
    scratch.file("list", Array("/a\n/b\n/c\n".utf8))
    let full = try reader(["--files-from", scratch.path("list")])
    #expect(try full.read(atMost: 2).jobs.count == 2)
    let rest = try full.read(atMost: 2)
    #expect(rest.jobs.count == 1 && rest.isLast)
    scratch.file("empty", [])
    let none = try reader(["--files-from", scratch.path("empty")]).read(atMost: 2)
    #expect(none.jobs.isEmpty && none.isLast)
}
