import Glibc
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Enqueue

/// The program when Redis, the workers or the user get in the way.
struct TroubleTests {
    /// A folder with one picture.
    private func onePicture() -> Scratch {
        let scratch = Scratch()
        scratch.file("a.jpg")
        return scratch
    }

    /// Ends with status 124 where the program would have taken longer: its own patience is 3 s. Measured
    /// outside of the tests, which keep every core busy.
    private func enqueueInTime(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess("timeout", ["6", BuiltProgram.path("enqueue"), "--pt", "1x1"] + arguments)
    }

    @Test func `a Redis that is not there ends with 69 within seconds`() async throws {
        let scratch = onePicture()
        let program = try enqueueInTime(
            ["--dir", scratch.path, "--redis", "unix://\(scratch.path("redis.sock"))"])
        #expect(await program.wait() == .status(69))
        #expect(
            program.standardError == """
                enqueue: unix://\(scratch.path("redis.sock")) cannot be reached: No such file or directory
                enqueue: is Redis running there? start it, or name another with --redis URL or REDIS_URL

                """)
        #expect(program.standardOutput == "")
    }

    @Test func `a Redis that is frozen ends with 69 within seconds`() async throws {
        let scratch = onePicture()
        let queue = try await TestQueue()
        queue.redis.freeze()
        defer { queue.redis.thaw() }
        let program = try enqueueInTime(["--dir", scratch.path, "--redis", queue.url])
        #expect(await program.wait() == .status(69))
    }

    @Test func `a wrong password ends with 78 and is not shown`() async throws {
        let scratch = onePicture()
        let queue = try await TestQueue(password: "right")
        guard case .unix(let socket) = queue.redis.address.endpoint else { return }
        for url in ["unix://:geheim@\(socket)", "unix://\(socket)"] {
            let program = try ChildProcess(
                BuiltProgram.path("enqueue"), ["--dir", scratch.path, "--pt", "1x1"],
                environment: ["REDIS_URL": url])
            #expect(await program.wait() == .status(78))
            #expect(program.standardError.contains("Redis refused the user or the password"))
            #expect(program.standardError.contains("redis://USER:PASSWORD@HOST"))
            #expect(!program.standardError.contains("geheim"))
        }
        let program = try ChildProcess(
            BuiltProgram.path("enqueue"), ["--dir", scratch.path, "--pt", "1x1"],
            environment: ["REDIS_URL": "unix://:right@\(socket)"])
        #expect(await program.wait() == .status(0))
    }

    @Test func `a user without permission ends with 78, and the advice helps`() async throws {
        let scratch = onePicture()
        let queue = try await TestQueue()
        guard case .unix(let socket) = queue.redis.address.endpoint else { return }
        func run() async throws -> (ChildProcess.Exit?, String) {
            let program = try ChildProcess(
                BuiltProgram.path("enqueue"), ["--dir", scratch.path, "--pt", "1x1"],
                environment: ["REDIS_URL": "unix://me:geheim@\(socket)"])
            return (await program.wait(), program.standardError)
        }
        _ = try await queue.client.call(RedisCommand("ACL", "SETUSER", "me", "on", ">geheim", "+ping"))
        let (exit, text) = try await run()
        #expect(exit == .status(78))
        // Refused inside the script, not at its door.
        _ = try await queue.client.call(RedisCommand("ACL", "SETUSER", "me", "+@scripting"))
        let (inside, same) = try await run()
        #expect(inside == .status(78) && same.contains("ACL SETUSER me"))
        let line = try #require(text.split(separator: "\n").last { $0.contains("ACL SETUSER") })
        let words = line.split(separator: " ").drop { $0 != "SETUSER" }.map {
            $0.filter { $0 != "'" }
        }
        #expect(words.count == 9 && words[1] == "me")
        var allow = RedisCommand("ACL")
        for word in words { allow.append(word) }
        _ = try await queue.client.call(allow)
        #expect(try await run().0 == .status(0))
    }

    @Test func `who waits is told of missing workers, of a pause, and how to look again`() async throws {
        let scratch = onePicture()
        let queue = try await TestQueue()
        let program = try queue.enqueue(["--dir", scratch.path, "--batch", "b", "--wait"])
        try await eventually("a word about workers") {
            program.standardError.contains(
                "no worker serves the queue thumbnails; start one with: worker --source-root \(scratch.path) "
                    + "--output thumbs --redis \(queue.url)")
        }
        try await queue.operators.pause(because: "a test")
        try await eventually("a word about the pause") {
            program.standardError.contains("the queue thumbnails is paused")
        }
        program.send(SIGINT)
        #expect(await program.wait() == .status(130))
        #expect(program.standardError.contains("enqueue: interrupted; 1 job was enqueued as batch b"))
        guard case .unix(let socket) = queue.redis.address.endpoint else { return }
        #expect(
            program.standardError.hasSuffix(
                "what was enqueued goes on; to see how far it is: fleet batch b --redis unix://\(socket)\n"))
        #expect(try await queue.waiting() == 1)
        let mentions = program.standardError.split(separator: "\n").count { $0.contains("no worker serves") }
        #expect(mentions == 1)
    }

    @Test func `an outage while waiting is told and waited out`() async throws {
        let scratch = onePicture()
        let queue = try await TestQueue(appendOnly: true)
        let program = try queue.enqueue(["--dir", scratch.path, "--wait"])
        try await eventually("the job") { try await queue.waiting() == 1 }
        await queue.redis.kill()
        try await eventually("a word about the outage") {
            program.standardError.contains("Redis is away")
        }
        try await queue.redis.start()
        #expect(try await queue.settle(until: program) == .status(0))
        #expect(program.standardError.contains("Redis is back after"))
    }

    @Test func `a batch that Redis forgot ends the wait`() async throws {
        let scratch = onePicture()
        let queue = try await TestQueue()
        let program = try queue.enqueue(["--dir", scratch.path, "--wait"])
        try await eventually("the job") { try await queue.waiting() == 1 }
        _ = try await queue.client.call(RedisCommand("FLUSHALL"))
        #expect(await program.wait() == .status(69))
        #expect(program.standardError.contains("Redis knows of 0 jobs of this batch where 1 were enqueued"))
    }

    @Test func `Ctrl-C while a list is still being written tells how far it came`() async throws {
        let scratch = Scratch()
        let made = unsafe mkfifo(scratch.path("list"), 0o600)
        #expect(made == 0)
        let queue = try await TestQueue()
        // Both ends: opening does not wait, and the list does not end.
        let writing = unsafe open(scratch.path("list"), O_RDWR)
        defer { close(writing) }
        let program = try queue.enqueue(["--files-from", scratch.path("list"), "--batch", "b", "--json"])
        let line = Array("/a.jpg\n".utf8)
        let count = unsafe write(writing, line, line.count)
        #expect(count == line.count)
        try await eventually("the job") { try await queue.waiting() == 1 }
        program.send(SIGTERM)
        #expect(await program.wait() == .status(130))
        #expect(program.standardOutput == #"{"batch":"b","enqueued":1,"skipped":0}"# + "\n")
        #expect(program.standardError.contains("interrupted; 1 job was enqueued as batch b"))
    }
}
