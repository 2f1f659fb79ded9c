import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// What docs/producing-and-consuming.md shows, run as it stands.
@Suite struct ProducingAndConsumingTests {
    private let page = Documentation("docs/producing-and-consuming.md")

    @Test func `every example of the page on producing and consuming does what it says`() async throws {
        #expect(
            page.names == [
                "push", "push.php", "push_batch.py", "progress.py", "progress", "follow.py", "follow",
            ],
            "an example that no test runs")
        let fleet = try await TestFleet(
            pictures: [
                "albums/a.jpg": "landscape-420.jpg", "albums/b.jpg": "square-444.jpg",
                "albums/cut.jpg": "cut-half.jpg",
            ])
        let worker = try fleet.worker()

        #expect(try await shell("push", in: fleet) == "1\n")
        let follower = try python("follow.py", in: fleet)
        try await untilSays(follower, "photo-17 120x120@3x/albums/a.jpg 360 240\n")

        let push = try python(
            "push_batch.py", ["album-9", "albums/a.jpg", "albums/b.jpg", "albums/cut.jpg"], in: fleet)
        #expect(await push.wait() == .status(0), "\(push.standardError)")
        #expect(push.standardOutput == "3 jobs in batch album-9\n")
        let progress = try python("progress.py", ["album-9"], in: fleet)
        #expect(await progress.wait() == .status(0), "\(progress.standardError)")
        #expect(progress.standardOutput.hasSuffix("3 of 3, 1 failed\n"), "\(progress.standardOutput)")
        #expect(try await shell("progress", in: fleet) == "3\n2\n1\n")
        try await untilSays(follower, "album-9/albums/cut.jpg truncated_image ")
        try await untilSays(follower, "album-9/albums/b.jpg 120x120@3x/albums/b.jpg")

        let byHand = try await shell("follow", in: fleet)
        #expect(byHand.hasPrefix("OK\n"), "\(byHand)")
        #expect(byHand.contains("album-9/albums/cut.jpg") && byHand.contains("gallery"), "\(byHand)")
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    @Test func `a backend in PHP pushes jobs, and none for a name that JSON cannot have`() async throws {
        let name = #"albums/"ü" & it's.jpg"#
        let fleet = try await TestFleet(pictures: [name: "landscape-420.jpg"])
        let program = fleet.folder.path + "/push.php"
        try page.example("push.php").write(toFile: program, atomically: true, encoding: .utf8)
        func php(_ words: String) throws -> ChildProcess {
            try ChildProcess(
                "/bin/bash", ["-c", "php \(program) \(words)"],
                environment: ["REDIS_URL": fleet.url, "PHOTO": name])
        }
        let push = try php(#""$PHOTO""#)
        #expect(await push.wait() == .status(0), "\(push.standardError)")
        #expect(push.standardOutput == "\(name): 1 waiting\n")
        #expect(await (try php("")).wait() == .status(1))
        let broken = try php(#"$'albums/\xFF.jpg'"#)
        #expect(await broken.wait() == .status(255))
        #expect((broken.standardOutput + broken.standardError).contains("JsonException"))
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0), "\(worker.standardError)")
        let results = try await fleet.results(1)
        #expect(results.map(\.source) == [name] && results[0].outputs?.count == 3)
        #expect(try await fleet.operators.audit().waiting == 0)
    }

    @Test(arguments: [true, false])
    func `a follower goes on after its group or the whole stream is deleted`(wholeStream: Bool) async throws {
        let fleet = try await TestFleet(pictures: ["albums/a.jpg": "landscape-420.jpg"])
        let worker = try fleet.worker()
        let follower = try python("follow.py", in: fleet)
        _ = try await shell("push", in: fleet)
        try await untilSays(follower, "photo-17 ")
        _ = try await fleet.client.call(
            wholeStream
                ? RedisCommand("DEL", fleet.keys.results)
                : RedisCommand("XGROUP", "DESTROY", fleet.keys.results, "gallery"))
        try await untilSays(follower, "making it again")
        try await fleet.push(#"{"source":"albums/a.jpg","pt":"50x50","scale":1,"id":"later"}"#)
        try await untilSays(follower, "later 50x50@1x/albums/a.jpg ")
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    @Test func `examples that are called wrongly say how they are called`() async throws {
        let fleet = try await TestFleet()
        for (example, arguments, text) in [
            ("push_batch.py", [], "usage: push_batch.py BATCH PHOTO"), ("push_batch.py", ["b"], "usage: "),
            ("progress.py", [], "usage: progress.py BATCH"), ("progress.py", ["b"], "no such batch: b"),
        ] {
            let process = try python(example, arguments, in: fleet)
            #expect(await process.wait() == .status(1))
            #expect(process.standardError.hasPrefix(text), "\(process.standardError)")
        }
    }

    @Test func `a batch of thousands is pushed in chunks, in order, and adds up`() async throws {
        let fleet = try await TestFleet()
        let photos = (0..<1_203).map { "albums/\($0).jpg" }
        let push = try python("push_batch.py", ["b"] + photos, in: fleet)
        #expect(await push.wait() == .status(0), "\(push.standardError)")
        #expect(push.standardOutput == "1203 jobs in batch b\n")
        let reply = try await fleet.client.call(RedisCommand("LRANGE", fleet.keys.queue, "0", "-1"))
        let waiting = (reply.array ?? []).reversed().map { entry in
            if case .job(let job) = Job.read(entry.bytes ?? []) { job.source } else { "" }
        }
        #expect(waiting == photos)
        let total = try await fleet.client.call(RedisCommand("HGET", fleet.keys.batch("b"), "total"))
        #expect(total.text == "1203")
    }

    @Test func `a follower that was killed is given again what it never acknowledged, and no more`()
        async throws
    {
        let fleet = try await TestFleet(pictures: ["albums/a.jpg": "landscape-420.jpg"], appendOnly: true)
        let worker = try fleet.worker()
        _ = try await shell("push", in: fleet)
        let first = try python("follow.py", in: fleet)
        try await untilSays(first, "photo-17 ")
        first.send(9)
        _ = await first.wait()

        // Given to the same consumer, which ends before it can acknowledge.
        try await fleet.push(#"{"source":"albums/a.jpg","pt":"60x60","scale":1,"id":"given"}"#)
        _ = try await fleet.results(2)
        _ = try await fleet.client.call(
            RedisCommand(
                "XREADGROUP", "GROUP", "gallery", "gallery-1", "STREAMS", fleet.keys.results, ">"))
        let second = try python("follow.py", in: fleet)
        try await untilSays(second, "given ")

        await fleet.redis.kill()
        try await untilSays(second, "Redis is away: ")
        try await fleet.redis.start()
        try await fleet.push(#"{"source":"albums/a.jpg","pt":"50x50","scale":1,"id":"later"}"#)
        try await untilSays(second, "later 50x50@1x/albums/a.jpg ")
        #expect(!second.standardOutput.contains("photo-17"), "acknowledged before")
        #expect(second.standardOutput.split(separator: "\n").filter { $0.hasPrefix("given ") }.count == 1)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    private func python(
        _ example: String, _ arguments: [String] = [], in fleet: TestFleet
    ) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/python3", ["-c", try page.example(example)] + arguments,
            environment: ["REDIS_URL": fleet.url])
    }

    /// The example's output, with `redis-cli` led to the fleet's Redis.
    private func shell(_ example: String, in fleet: TestFleet) async throws -> String {
        let lead = #"redis-cli() { command redis-cli -s "$SOCKET" "$@"; }"#
        let process = try ChildProcess(
            "/bin/bash", ["-e", "-c", lead + "\n" + page.example(example)],
            environment: ["SOCKET": fleet.redis.socket])
        #expect(await process.wait() == .status(0), "\(process.standardOutput)\(process.standardError)")
        return process.standardOutput
    }

    private func untilSays(_ process: ChildProcess, _ text: String) async throws {
        try await eventually("\"\(text)\" among \(process.standardOutput)\(process.standardError)") {
            process.standardOutput.contains(text) ? () : nil
        }
    }
}
