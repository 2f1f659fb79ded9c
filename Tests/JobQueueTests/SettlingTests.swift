import Redis
import TestSupport
import Testing

@testable import JobQueue

/// Each move that settles a job, and each of its answers, by what it does to every key.
struct SettlingTests {
    @Test func `finish publishes once, with the attempt and the time`() async throws {
        let fleet = try await Fleet()
        let raw = job("i", batch: "b")
        try await fleet.push(raw)
        _ = try await fleet.worker().claim(limit: 1)
        let settled = try await fleet.worker().finish(ticket(raw), done(ticket(raw)))
        #expect(settled == .finished(attempt: 1))
        let after = try await fleet.keySpace()
        #expect(after.hash("{q}:counters") == ["taken": "1", "finished": "1"])
        #expect(after.hash("{q}:batch:b") == ["finished": "1"])
        #expect(after.entries["{q}:batch:b"]?.expires == true)
        let entry = try #require(after.stream("{q}:results").first)
        #expect(entry["id"] == "i" && entry["status"] == "done" && entry["batch"] == "b")
        let result = try JobResult(json: Array((entry["result"] ?? "").utf8))
        #expect(result.attempt == 1 && result.outputs == [] && result.batch == "b")
        #expect(result.finishedAt?.count == "2026-11-30T03:47:46.123Z".count)
        #expect(Set(after.entries.keys) == ["{q}:workers", "{q}:counters", "{q}:batch:b", "{q}:results"])

        let second = try await fleet.worker().finish(ticket(raw), done(ticket(raw)))
        #expect(second == .stale)
        #expect(try await fleet.keySpace() == after)
    }

    @Test func `every settling move of a lost job is stale and writes nothing`() async throws {
        let fleet = try await Fleet()
        let (raw, worker) = (job("i"), fleet.worker())
        try await fleet.push(raw)
        _ = try await worker.claim(limit: 1)
        try await fleet.expire(worker)
        #expect(try await fleet.worker("w2").reclaim().requeued == 1)
        let before = try await fleet.keySpace()
        var generator = SystemRandomNumberGenerator()
        let answers = [
            try await worker.finish(ticket(raw), done(ticket(raw))),
            try await worker.bury(ticket(raw), failed(ticket(raw))),
            try await worker.retry(ticket(raw), failed(ticket(raw)), using: &generator),
            try await worker.release(ticket(raw)),
            try await worker.release(ticket(raw), after: .seconds(1)),
        ]
        #expect(answers.allSatisfy { $0 == .stale })
        #expect(try await fleet.keySpace() == before)
    }

    @Test func `bury keeps any bytes and publishes the failure`() async throws {
        let fleet = try await Fleet()
        let raw: [UInt8] = [0xFF, 0x00, 0x7B]
        try await fleet.push(raw)
        _ = try await fleet.worker().claim(limit: 1)
        let ticket = Job.read(raw).ticket
        #expect(try await fleet.worker().bury(ticket, failed(ticket, .invalidJob)) == .buried(attempt: 1))
        let after = try await fleet.keySpace()
        #expect(after.hash("{q}:counters") == ["taken": "1", "buried": "1"])
        let reply = try await fleet.client.call(RedisCommand("XRANGE", "{q}:dead", "-", "+"))
        let fields = try #require(reply.array?.first?.array?.last?.array)
        #expect(fields[5] == .bytes(raw))
        #expect(after.stream("{q}:dead").first?["code"] == "invalid_job")
        #expect(after.stream("{q}:dead").first?["attempts"] == "1")
        #expect(after.stream("{q}:results").first?["status"] == "failed")
    }

    @Test func `retry waits, comes back to be served next, and buries after the fifth attempt`() async throws
    {
        let fleet = try await Fleet()
        // Longer than a busy machine takes for this.
        var limits = QueueLimits()
        limits.lease = .seconds(3600)
        let worker = fleet.worker(limits: limits)
        let raw = job("i", batch: "b")
        var backoff = Backoff()
        backoff.cap = .zero
        var generator = SystemRandomNumberGenerator()
        try await fleet.push(raw)
        for attempt in 1...5 {
            try await fleet.push("later\(attempt)")
            let claimed = try await worker.claim(limit: 1)
            #expect(claimed == .jobs([.init(raw: Array(raw.utf8), crashes: 0)]))
            let settled = try await worker.retry(
                ticket(raw), failed(ticket(raw)), backoff: backoff, using: &generator)
            let now = try await fleet.keySpace()
            if attempt < 5 {
                #expect(settled == .retried(attempt: attempt, delay: .zero))
                #expect(now.hash("{q}:attempts") == ["i": "\(attempt) 0"])
                #expect(now.sortedSet("{q}:delayed").keys.first?.hasSuffix(raw) == true)
                #expect(try await worker.promote().promoted == 1)
            } else {
                #expect(settled == .buried(attempt: 5))
                #expect(now["{q}:attempts"] == nil && now["{q}:delayed"] == nil)
                #expect(now.hash("{q}:batch:b") == ["failed": "1", "error:internal": "1"])
                #expect(now.stream("{q}:results").count == 1 && now.stream("{q}:dead").count == 1)
            }
        }
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `a retried job waits for its due time`() async throws {
        let fleet = try await Fleet()
        let raw = job("i")
        struct Longest: RandomNumberGenerator { mutating func next() -> UInt64 { .max } }
        var generator = Longest()
        var backoff = Backoff()
        (backoff.base, backoff.cap) = (.seconds(60), .seconds(60))
        try await fleet.push(raw)
        _ = try await fleet.worker().claim(limit: 1)
        _ = try await fleet.worker().retry(
            ticket(raw), failed(ticket(raw)), backoff: backoff, using: &generator)
        let (promoted, nextDue) = try await fleet.worker().promote()
        #expect(promoted == 0)
        #expect(try #require(nextDue) <= .seconds(60) && #require(nextDue) > .zero)
        #expect(try await fleet.worker().renew().nextDue != nil)
    }

    @Test func `release gives back without counting an attempt, next or last`() async throws {
        let fleet = try await Fleet()
        let (now, later) = (job("now"), job("later"))
        for raw in [now, later, "other"] { try await fleet.push(raw) }
        _ = try await fleet.worker().claim(limit: 2)
        #expect(try await fleet.worker().release(ticket(now)) == .released)
        #expect(try await fleet.worker().release(ticket(later), after: .zero) == .released)
        #expect(try await fleet.worker().promote().promoted == 1)
        let after = try await fleet.keySpace()
        #expect(after.list("q") == [later, "other", now])
        #expect(
            after.hash("{q}:counters")
                == ["taken": "2", "released": "2", "delayed_so_far": "1", "promoted": "1"])
        #expect(after["{q}:attempts"] == nil)
    }

    @Test func `the same bytes pushed twice are two jobs and two results`() async throws {
        let fleet = try await Fleet()
        let raw = job("twin")
        try await fleet.push(raw)
        try await fleet.push(raw)
        _ = try await fleet.worker().claim(limit: 2)
        #expect(try await fleet.worker().release(ticket(raw), after: .zero) == .released)
        #expect(try await fleet.worker().release(ticket(raw), after: .zero) == .released)
        #expect(try await fleet.keySpace().sortedSet("{q}:delayed").count == 2)
        #expect(try await fleet.worker().promote().promoted == 2)
        _ = try await fleet.worker().claim(limit: 2)
        #expect(try await fleet.worker().finish(ticket(raw), done(ticket(raw))) == .finished(attempt: 1))
        #expect(try await fleet.worker().finish(ticket(raw), done(ticket(raw))) == .finished(attempt: 1))
        #expect(try await fleet.worker().finish(ticket(raw), done(ticket(raw))) == .stale)
        #expect(try await fleet.keySpace().stream("{q}:results").count == 2)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `plain pops are counted when they are settled`() async throws {
        let fleet = try await Fleet()
        let raw = job("i")
        try await fleet.push(raw)
        try await fleet.push(raw)
        let worker = fleet.worker(ownership: .none)
        #expect(try await worker.popUnsafely(atMost: .seconds(5)) == Array(raw.utf8))
        #expect(try await worker.finish(ticket(raw), done(ticket(raw))) == .finished(attempt: 1))
        _ = try await worker.popUnsafely(atMost: .seconds(5))
        #expect(try await worker.release(ticket(raw)) == .released)
        let after = try await fleet.keySpace()
        #expect(after.list("q") == [raw])
        #expect(after.hash("{q}:counters") == ["taken": "2", "finished": "1", "released": "1"])
        #expect(try await fleet.operators.audit().missing == 0)
    }
}
