import CommandLineOptions
import Files
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Enqueue

/// Pushing into a real Redis.
struct PushTests {
    private func pusher(
        _ queue: TestQueue, _ reader: ChunkReader, _ tally: Tally, longestQueue: Int? = nil,
        limits: RedisLimits = RedisLimits()
    ) -> Pusher {
        Pusher(
            queue: ProducerQueue(queue.keys, client: queue.redis.client(limits: limits)), reader: reader,
            tally: tally, display: ProgressDisplay(), longestQueue: longestQueue)
    }

    private func list(_ count: Int, in scratch: Scratch) -> (path: String, names: [String]) {
        let names = (0..<count).map { "/photos/\($0).jpg" }
        scratch.file("list", Array(names.joined(separator: "\n").utf8))
        return (scratch.path("list"), names)
    }

    @Test func `the first file is the first that is taken, and the batch counts them all`() async throws {
        let scratch = Scratch()
        for number in 0..<1_237 { scratch.file("\(10_000 + number).jpg") }
        scratch.file("notes.txt", Array("text".utf8))
        let queue = try await TestQueue()
        let tally = Tally(EnqueueSummary(batch: "b"))
        let end = try await pusher(queue, try reader(["--dir", scratch.path]), tally).push()
        #expect(end == .all)
        #expect(tally.summary.enqueued == 1_237 && tally.summary.skippedTotal == 1)
        let expected = (0..<1_237).map { scratch.path("\(10_000 + $0).jpg") }
        #expect(try await queue.waitingSources() == expected)
        #expect(try await queue.producer.progress(ofBatch: "b").total == 1_237)
        _ = try await queue.worker.renew()
        guard case .jobs(let claimed) = try await queue.worker.claim(limit: 1) else {
            Issue.record("nothing to claim")
            return
        }
        guard case .job(let job) = Job.read(claimed[0].raw) else {
            Issue.record("no job")
            return
        }
        #expect(job.source == expected[0])
    }

    @Test func `connections cut in the middle neither lose nor double a job`() async throws {
        let scratch = Scratch()
        let (path, names) = list(60_000, in: scratch)
        let queue = try await TestQueue()
        let tally = Tally(EnqueueSummary(batch: "b"))
        var limits = RedisLimits()
        (limits.shortestPause, limits.longestPause) = (.milliseconds(1), .milliseconds(2))
        let pusher = pusher(queue, try reader(["--files-from", path]), tally, limits: limits)
        let isDone = Tally(EnqueueSummary(batch: ""))
        async let cuts = cutConnections(queue, until: isDone)
        let end = try await pusher.push()
        _ = isDone.stop()
        #expect(try await cuts > 0)
        #expect(end == .all && tally.summary.enqueued == names.count)
        #expect(try await queue.waitingSources() == names)
        #expect(try await queue.producer.progress(ofBatch: "b").total == names.count)
    }

    /// Cuts every connection but the test's own, again and again; answers how many it hit.
    private func cutConnections(_ queue: TestQueue, until isDone: Tally) async throws -> Int {
        var cut = 0
        while isDone.beginPush() {
            let reply = try await queue.client.call(
                RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
            cut += reply.integer ?? 0
            try await Task.sleep(for: .milliseconds(3))
        }
        return cut
    }

    @Test func `a Redis that dies in the middle and comes back has every job once`() async throws {
        let scratch = Scratch()
        let (path, names) = list(40_000, in: scratch)
        let queue = try await TestQueue(appendOnly: true)
        let tally = Tally(EnqueueSummary(batch: "b"))
        let pusher = pusher(queue, try reader(["--files-from", path]), tally)
        async let end = pusher.push()
        try await eventually("the first jobs") { tally.summary.enqueued > 0 }
        await queue.redis.kill()
        try await queue.redis.start()
        #expect(try await end == .all)
        #expect(try await queue.waitingSources() == names)
        #expect(try await queue.producer.progress(ofBatch: "b").total == names.count)
    }

    @Test(arguments: [1, 499, 500, 501, 1_200])
    func `a backlog is filled up to its limit and no further`(most: Int) async throws {
        let scratch = Scratch()
        let (path, names) = list(1_237, in: scratch)
        let queue = try await TestQueue()
        _ = try await queue.client.call(RedisCommand("LPUSH", queue.keys.queue, "another's job"))
        let tally = Tally(EnqueueSummary(batch: "b"))
        let end = try await pusher(
            queue, try reader(["--files-from", path]), tally, longestQueue: most
        ).push()
        #expect(end == .full(waiting: most))
        #expect(tally.summary.enqueued == most - 1)
        #expect(try await queue.waitingSources().dropFirst() == names.prefix(most - 1))
        #expect(try await queue.producer.progress(ofBatch: "b").total == most - 1)
        if most > 1 { #expect(tally.summary.standing.hasSuffix("the last one for “\(names[most - 2])”")) }
    }

    @Test func `with patience a list longer than the backlog is pushed whole, in order and each once`()
        async throws
    {
        let scratch = Scratch()
        let (path, names) = list(1_237, in: scratch)
        let queue = try await TestQueue()
        let program = try queue.enqueue(
            ["--files-from", path, "--max-backlog", "90", "--wait-for-room", "--batch", "b"])
        var longest = 0
        var taken: [String] = []
        try await eventually("the end of the list") {
            longest = max(longest, try await queue.waiting())
            let command = RedisCommand("RPOP", queue.keys.queue, "60")
            for entry in try await queue.client.call(command).array ?? [] {
                if case .job(let job) = Job.read(entry.bytes ?? []) { taken.append(job.source) }
            }
            return taken.count == names.count
        }
        #expect(await program.wait() == .status(0))
        #expect(taken == names && longest <= 90, "\(taken.count), \(longest)")
        #expect(try await queue.producer.progress(ofBatch: "b").total == names.count)
        #expect(program.standardOutput == "enqueued 1237 jobs as batch b\n")
        #expect(program.standardError.ranges(of: "the queue is full").count == 1, "\(program.standardError)")
    }

    @Test func `a backlog that is just large enough takes all`() async throws {
        let scratch = Scratch()
        let (path, names) = list(1_237, in: scratch)
        let queue = try await TestQueue()
        let tally = Tally(EnqueueSummary(batch: "b"))
        let end = try await pusher(
            queue, try reader(["--files-from", path]), tally, longestQueue: names.count
        ).push()
        #expect(end == .all && tally.summary.enqueued == names.count)
    }

    @Test func `once it is told to stop nothing more is sent`() async throws {
        let scratch = Scratch()
        let queue = try await TestQueue()
        let tally = Tally(EnqueueSummary(batch: "b"))
        #expect(tally.stop())
        let end = try await pusher(queue, try reader(["--files-from", list(9, in: scratch).path]), tally)
            .push()
        #expect(end == .stopped)
        #expect(try await queue.waiting() == 0)
    }

    @Test func `a Redis that gets full is told, and took the beginning, which is counted`() async throws {
        let scratch = Scratch()
        let (path, names) = list(200_000, in: scratch)
        let queue = try await TestQueue(configuration: ["--maxmemory", "8mb"])
        let tally = Tally(EnqueueSummary(batch: "b"))
        let pusher = pusher(queue, try reader(["--files-from", path]), tally)
        let error = await #expect(throws: EnqueueError.self) { try await pusher.push() }
        guard case .queue(.redis(.outOfMemory))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let pushed = tally.summary.enqueued
        #expect(pushed > 0 && pushed < names.count)
        #expect(try await queue.waitingSources() == Array(names.prefix(pushed)))
        #expect(try await queue.producer.progress(ofBatch: "b").total == pushed)
        #expect(error?.exitStatus == .queueFull)
    }
}
