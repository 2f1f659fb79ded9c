import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// The built `enqueue`, alone and with a worker beside it.
struct EnqueueEndToEndTests {
    @Test func `a folder is enqueued, waited for and summed up`() async throws {
        let fleet = try await TestFleet(pictures: [
            "a.jpg": "landscape-420.jpg", "b/c.JPEG": "portrait-422.jpg", "named.txt": "square-444.jpg",
            "cut.jpg": "cut-half.jpg", "picture.png": "png-named.jpg", "notes.jpg": "not-a-picture.jpg",
        ])
        let worker = try fleet.worker()
        let enqueue = try fleet.enqueue([
            "--dir", fleet.sources, "--pt", "60x60", "--scale", "2", "--wait", "--json",
        ])
        #expect(await enqueue.wait() == .status(1), "one picture is cut off")
        let summary = try JSONDecoder().decode(Summary.self, from: Data(enqueue.standardOutput.utf8))
        #expect(summary.enqueued == 4 && summary.skipped == 2 && summary.finished == 3 && summary.failed == 1)
        #expect(summary.errors == ["truncated_image": 1])
        #expect(fleet.thumbnail("60x60@2x/a.jpg") != nil && fleet.thumbnail("60x60@2x/b/c.JPEG") != nil)
        #expect(fleet.thumbnail("60x60@2x/named.txt.jpg") != nil)

        let again = try fleet.enqueue(["--dir", fleet.sources, "--pt", "60x60", "--wait", "--batch", "mine"])
        #expect(await again.wait() == .status(1))
        #expect(again.standardOutput.contains("finished 3, failed 1"))
        #expect(again.standardOutput.contains("truncated_image: the file is cut off"))
        #expect(again.standardOutput.contains("cut.jpg: the file is cut off"))
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `jobs are pushed in the order of the list, and all of them`() async throws {
        let fleet = try await TestFleet()
        let names = (0..<1_237).map { "album/\($0).jpg" }
        try fleet.write(Array(names.joined(separator: "\n").utf8), to: "list.txt")
        let enqueue = try fleet.enqueue([
            "--files-from", fleet.sources + "/list.txt", "--relative-to", ".", "--pt", "9x9", "--batch", "b",
            "--json",
        ])
        #expect(await enqueue.wait() == .status(0))
        #expect(enqueue.standardOutput == #"{"batch":"b","enqueued":1237,"skipped":0}"# + "\n")
        let queued =
            try await fleet.client.call(RedisCommand("LRANGE", fleet.keys.queue, "0", "-1")).array ?? []
        let sources = queued.reversed().compactMap { reply -> String? in
            guard case .job(let job) = Job.read(reply.bytes ?? []) else { return nil }
            return job.source
        }
        #expect(sources == names)
        let progress = try await ProducerQueue(fleet.keys, client: fleet.client).progress(ofBatch: "b")
        #expect(progress.total == 1_237)
    }

    @Test func `a full queue is filled to the last place and told of`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(Array((0..<900).map { "\($0).jpg" }.joined(separator: "\n").utf8), to: "list.txt")
        let enqueue = try fleet.enqueue([
            "--files-from", fleet.sources + "/list.txt", "--pt", "9x9", "--max-backlog", "700", "--batch",
            "b",
        ])
        #expect(await enqueue.wait() == .status(75))
        #expect(enqueue.standardError.contains("700 jobs were enqueued"))
        #expect(try await fleet.operators.audit().waiting == 700)
        let progress = try await ProducerQueue(fleet.keys, client: fleet.client).progress(ofBatch: "b")
        #expect(progress.total == 700)
    }

    @Test func `a wait without a worker says so, and an interruption leaves the jobs`() async throws {
        let fleet = try await TestFleet()
        let enqueue = try fleet.enqueue(["--dir", fleet.sources, "--pt", "9x9", "--wait"])
        try await eventually("a hint") {
            enqueue.standardError.contains("no worker serves the queue") ? () : nil
        }
        enqueue.send(2)
        #expect(await enqueue.wait() == .status(130))
        #expect(enqueue.standardError.contains("goes on"))
        #expect(try await fleet.operators.audit().waiting == 1)
    }

    @Test func `mistakes have their exit status and say what to do`() async throws {
        let fleet = try await TestFleet()
        let wrong = try fleet.enqueue(["--dir", fleet.sources, "--pt", "12", "--sacle", "2"])
        #expect(await wrong.wait() == .status(64))
        #expect(
            wrong.standardError.contains("did you mean --scale?") && wrong.standardError.contains("120x120"))
        let missing = try fleet.enqueue(["--dir", fleet.folder.path + "/no", "--pt", "12x12"])
        #expect(await missing.wait() == .status(78))
        let alone = try ChildProcess(
            BuiltProgram.path("enqueue"),
            ["--redis", "unix:///nowhere/redis.sock", "--dir", fleet.sources, "--pt", "12x12"])
        #expect(await alone.wait() == .status(69))
        #expect(alone.standardError.contains("/nowhere/redis.sock"))
        let nothing = try fleet.enqueue(["--files-from", "/dev/null", "--pt", "12x12", "--wait"])
        #expect(await nothing.wait() == .status(0))
        for program in ["enqueue", "worker"] {
            let help = try ChildProcess(BuiltProgram.path(program), ["--help"])
            #expect(await help.wait() == .status(0))
            #expect(help.standardOutput.contains("Exit status:"))
        }
    }

    private struct Summary: Decodable {
        let batch: String
        let enqueued: Int
        let skipped: Int
        let finished: Int
        let failed: Int
        let errors: [String: Int]
    }
}
