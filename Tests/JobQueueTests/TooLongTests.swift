import Redis
import TestSupport
import Testing

@testable import JobQueue

/// What is too long for a job, on its way through the queue's scripts.
struct TooLongTests {
    private static let long = String(repeating: " ", count: QueueLimits.jobBytes + 1)

    @Test func `the claim script takes it over without sending it, and its bytes are buried where they lie`()
        async throws
    {
        let fleet = try await Fleet()
        let worker = fleet.worker("w1")
        try await fleet.push(Self.long)
        try await fleet.push(job("i"))
        #expect(try await worker.claim(limit: 10) == .tooLong)
        #expect(try await fleet.operators.audit().running == 1)
        let id = Job.hashID(of: Array(Self.long.utf8))
        let buried = WorkerQueue.TooLong(id: id, bytes: Self.long.utf8.count, attempt: 1)
        #expect(try await worker.claimedHere() == .init(jobs: [], buried: [buried]))
        // Sent again after a lost reply, it finds nothing more to bury.
        #expect(try await worker.claimedHere() == .init(jobs: [], buried: []))
        #expect(
            try await worker.claim(limit: 10) == .jobs([.init(raw: Array(job("i").utf8), crashes: 0)]))
        #expect(
            try await fleet.keySpace().hash("{q}:counters") == ["taken": "2", "buried": "1", "held:w1": "1"])
        let dead = try #require(try await fleet.operators.dead(named: id).first)
        #expect(dead.raw == Array(Self.long.utf8) && dead.code == "invalid_job" && dead.attempts == 1)
        let entries = try await fleet.client.call(RedisCommand("XRANGE", fleet.keys.results, "-", "+"))
        let fields = try #require(entries.array?.first?.array?.last?.array)
        let result = try JobResult(json: try #require(fields.last?.bytes))
        #expect(result.id == id && result.status == .failed && result.worker == "w1")
        #expect(
            result.error == JobFailure(.invalidJob, "expected at most 65536 bytes, found 65537"),
            "as Job.swift words it")
        #expect(
            Job.read(Array(Self.long.utf8))
                == .invalid(
                    JobTicket(raw: Array(Self.long.utf8), id: id, batch: nil),
                    problems: [try #require(result.error?.message)]))
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `it comes alone, and jobs before it are handed out first`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("i"))
        try await fleet.push(Self.long)
        let first = try await fleet.worker("w1").claim(limit: 10)
        #expect(first == .jobs([.init(raw: Array(job("i").utf8), crashes: 0)]))
        #expect(try await fleet.worker("w1").claim(limit: 10) == .tooLong)
    }

    @Test
    func `among jobs in a list each long one is buried, equal ones as well, and the rest stays in order`()
        async throws
    {
        let fleet = try await Fleet()
        let worker = fleet.worker("w1")
        _ = try await worker.renew()
        for raw in [job("1"), Self.long, job("2"), Self.long, job("3")] {
            try await fleet.push(raw)
            _ = try await worker.wait(atMost: .seconds(5))
        }
        let held = try await worker.claimedHere()
        #expect(held.jobs == ["1", "2", "3"].map { Array(job($0).utf8) } && held.buried.count == 2)
        let audit = try await fleet.operators.audit()
        #expect(audit.taken == 5 && audit.dead == 2 && audit.running == 3 && audit.missing == 0, "\(audit)")
    }

    @Test func `the longest job is a job`() async throws {
        let fleet = try await Fleet()
        let longest = String(repeating: " ", count: QueueLimits.jobBytes)
        try await fleet.push(longest)
        let claimed = try await fleet.worker("w1").claim(limit: 10)
        #expect(claimed == .jobs([.init(raw: Array(longest.utf8), crashes: 0)]))
        #expect(try await fleet.worker("w1").claimedHere() == .init(jobs: [Array(longest.utf8)], buried: []))
    }

    /// As a worker's connection is: it reads no more than a job of an answer.
    @Test
    func `a blocking move that brings it is given up, with the job in the list and the next call served`()
        async throws
    {
        let fleet = try await Fleet()
        var limits = RedisLimits()
        limits.longestString = QueueLimits.longestClaim
        let worker = WorkerQueue(
            fleet.keys, worker: WorkerID("w1"), claims: fleet.redis.client("claims", limits: limits),
            moves: fleet.client)
        _ = try await worker.renew()
        try await fleet.push(String(repeating: "x", count: 1 << 20))
        let error = await #expect(throws: QueueError.self) { try await worker.wait(atMost: .seconds(5)) }
        #expect(error == .redis(.replyTooLong(limit: QueueLimits.longestClaim)))
        try await fleet.push(job("i"))
        #expect(try await worker.wait(atMost: .seconds(5)) == Array(job("i").utf8))
        let held = try await worker.claimedHere()
        #expect(held.jobs == [Array(job("i").utf8)] && held.buried.map(\.bytes) == [1 << 20])
    }
}
