import Redis
import TestSupport
import Testing

@testable import JobQueue

/// Each script and each of its answers, by what it does to every key.
struct MoveTests {
    @Test func `claim takes the oldest jobs first and registers the worker`() async throws {
        let fleet = try await Fleet()
        for name in ["a", "b", "c"] { try await fleet.push(name) }
        let answer = try await fleet.worker().claim(limit: 2)
        #expect(answer == .jobs([.init(raw: [0x61], crashes: 0), .init(raw: [0x62], crashes: 0)]))
        let after = try await fleet.keySpace()
        #expect(after.list("q") == ["c"])
        #expect(after.list("{q}:worker:w1") == ["b", "a"])
        #expect(after.hash("{q}:counters") == ["taken": "2", "held:w1": "2"])
        #expect(after.sortedSet("{q}:workers").keys.sorted() == ["w1"])
        #expect(after.entries.count == 4)
    }

    @Test func `claim of an empty or a paused queue changes nothing`() async throws {
        let fleet = try await Fleet()
        #expect(try await fleet.worker().claim(limit: 5) == .empty)
        #expect(try await fleet.keySpace().entries.isEmpty)
        try await fleet.push("a")
        try await fleet.operators.pause(because: "maintenance")
        let before = try await fleet.keySpace()
        #expect(try await fleet.worker().claim(limit: 5) == .paused)
        #expect(try await fleet.keySpace() == before)
        try await fleet.operators.resume()
        #expect(try await fleet.worker().claim(limit: 5) == .jobs([.init(raw: [0x61], crashes: 0)]))
    }

    @Test func `claim is refused once the lease is over, until it is renewed`() async throws {
        let fleet = try await Fleet()
        try await fleet.push("a")
        try await fleet.expire(fleet.worker())
        let before = try await fleet.keySpace()
        #expect(try await fleet.worker().claim(limit: 1) == .leaseLapsed)
        #expect(try await fleet.keySpace() == before)
        _ = try await fleet.worker().renew()
        #expect(try await fleet.worker().claim(limit: 1) == .jobs([.init(raw: [0x61], crashes: 0)]))
    }

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

    @Test func `a job taken by a blocking move is counted by the next script`() async throws {
        let fleet = try await Fleet()
        let raw = job("i")
        let waiter = WorkerQueue(
            fleet.keys, worker: WorkerID("w1"), claims: fleet.redis.client("claims"), moves: fleet.client)
        _ = try await waiter.renew()
        let waiting = Task { try await waiter.wait(atMost: .seconds(20)) }
        try await fleet.push(raw)
        #expect(try await waiting.value == Array(raw.utf8))
        #expect(try await fleet.operators.audit().taken == 1)
        #expect(try await fleet.operators.audit().missing == 0)
        #expect(try await waiter.claimedHere() == .init(jobs: [Array(raw.utf8)], buried: []))
        #expect(try await waiter.finish(ticket(raw), done(ticket(raw))) == .finished(attempt: 1))
        #expect(try await fleet.keySpace().hash("{q}:counters") == ["taken": "1", "finished": "1"])
    }

    @Test func `a wait ends without a job at its limit, and at once when told to stop`() async throws {
        let fleet = try await Fleet()
        let waiter = WorkerQueue(
            fleet.keys, worker: WorkerID("w1"), claims: fleet.redis.client("claims"), moves: fleet.client)
        #expect(try await waiter.wait(atMost: .milliseconds(10)) == nil)
        let waiting = Task { try await waiter.wait(atMost: .seconds(60)) }
        while try await !waiter.stopWaiting() {}
        #expect(try await waiting.value == nil)
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

    @Test func `renew extends the lease, keeps the info for a while, and reports the work`() async throws {
        let fleet = try await Fleet()
        let answer = try await fleet.worker().renew([("host", "h"), ("pid", "7")])
        #expect(
            answer
                == .init(
                    isPaused: false, expiredWorkers: 0, nextDue: nil, jobsLost: 0, mayHaveSuspects: false))
        let after = try await fleet.keySpace()
        #expect(after.hash("{q}:worker:w1:info") == ["host": "h", "pid": "7", "reclaimed": "0"])
        #expect(after.entries["{q}:worker:w1:info"]?.expires == true)
        try await fleet.operators.pause(because: "x")
        try await fleet.expire(fleet.worker("w2"))
        let busy = try await fleet.worker().renew()
        #expect(busy.isPaused && busy.expiredWorkers == 1)
    }

    @Test func `deregister leaves only with an empty list`() async throws {
        let fleet = try await Fleet()
        let (raw, worker) = (job("i"), fleet.worker())
        try await fleet.push(raw)
        _ = try await worker.renew([("host", "h")])
        _ = try await worker.claim(limit: 1)
        #expect(try await worker.deregister() == false)
        #expect(try await fleet.keySpace().sortedSet("{q}:workers").count == 1)
        _ = try await worker.release(ticket(raw))
        #expect(try await worker.deregister())
        #expect(try await Set(fleet.keySpace().entries.keys) == ["q", "{q}:counters"])
    }

    @Test func `enqueue pushes a chunk once, counts its batch, and refuses what is too much`() async throws {
        let fleet = try await Fleet()
        func chunk(_ name: String, _ count: Int) -> ProducerQueue.Chunk {
            .init(name: name, jobs: (0..<count).map { Array("\(name)\($0)".utf8) })
        }
        let answers = try await fleet.producer.enqueue([chunk("a", 2), chunk("b", 1)], batch: "b")
        #expect(answers == [.enqueued(waiting: 2), .enqueued(waiting: 3)])
        let after = try await fleet.keySpace()
        #expect(after.list("q") == ["b0", "a1", "a0"])
        #expect(after.hash("{q}:batch:b") == ["total": "3", "chunk:a": "2", "chunk:b": "1"])
        #expect(after.entries["{q}:batch:b"]?.expires == true)
        #expect(try await fleet.producer.enqueue([chunk("a", 2)], batch: "b") == [.already(waiting: 3)])
        let full = try await fleet.producer.enqueue([chunk("c", 2)], batch: "b", longestQueue: 4)
        #expect(full == [.full(waiting: 3)])
        #expect(try await fleet.keySpace() == after)
        #expect(try await fleet.producer.progress(ofBatch: "b") == .init(total: 3))
    }

    @Test func `a foreign type under any key is an error before anything is written`() async throws {
        let fleet = try await Fleet()
        let raw = job("i", batch: "b")
        for key in fleet.keys.constant.subtracting([fleet.keys.paused]).union(["{q}:worker:w1"]) {
            _ = try await fleet.client.call(RedisCommand("FLUSHALL"))
            try await fleet.push(raw)
            _ = try await fleet.worker().claim(limit: 1)
            try await fleet.expire(fleet.worker("w2"))
            _ = try await fleet.client.call(RedisCommand("SET", key, "foreign"))
            var before = try await fleet.keySpace()
            for script in QueueScripts.all {
                let error = await refusal(of: script, raw: raw, fleet)
                if let error {
                    #expect(error.description.contains(key), "\(script.name) with \(key): \(error)")
                    #expect(try await fleet.keySpace() == before, "\(script.name) with \(key)")
                } else {
                    // The script does not touch that key: put the world back.
                    _ = try await fleet.client.call(RedisCommand("FLUSHALL"))
                    try await fleet.push(raw)
                    _ = try await fleet.worker().claim(limit: 1)
                    try await fleet.expire(fleet.worker("w2"))
                    _ = try await fleet.client.call(RedisCommand("SET", key, "foreign"))
                    before = try await fleet.keySpace()
                }
            }
        }
    }

    @Test func `a batch whose name somebody uses otherwise costs no job more than its count`() async throws {
        let fleet = try await Fleet()
        _ = try await fleet.client.call(RedisCommand("SET", fleet.keys.batch("b"), "foreign"))
        let (finished, buried, lost) = (job("1", batch: "b"), job("2", batch: "b"), job("3", batch: "b"))
        for raw in [finished, buried, lost] { try await fleet.push(raw) }
        let worker = fleet.worker()
        _ = try await worker.claim(limit: 3)
        #expect(try await worker.finish(ticket(finished), done(ticket(finished))) == .finished(attempt: 1))
        #expect(try await worker.bury(ticket(buried), failed(ticket(buried))) == .buried(attempt: 1))
        try await fleet.expire(worker)
        #expect(try await fleet.worker("w2").reclaim().requeued == 1)
        let dead = try await fleet.operators.dead(named: "2").map(\.entry)
        #expect(try await fleet.operators.retryDead(dead).done == 1)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    private func refusal(of script: RedisScript, raw: String, _ fleet: Fleet) async -> QueueError? {
        let (worker, ticket) = (fleet.worker(), ticket(raw))
        var generator = SystemRandomNumberGenerator()
        do throws(QueueError) {
            switch script.name {
            case "claim": _ = try await worker.claim(limit: 1)
            case "finish": _ = try await worker.finish(ticket, done(ticket))
            case "bury": _ = try await worker.bury(ticket, failed(ticket))
            case "retry": _ = try await worker.retry(ticket, failed(ticket), using: &generator)
            case "release": _ = try await worker.release(ticket)
            case "renew": _ = try await worker.renew()
            case "reclaim": _ = try await worker.reclaim()
            case "promote": _ = try await worker.promote()
            case "deregister": _ = try await worker.deregister()
            case "audit": _ = try await fleet.operators.audit()
            default:
                _ = try await fleet.producer.enqueue([.init(name: "c", jobs: [[0x61]])], batch: "b")
            }
            return nil
        } catch {
            return error
        }
    }
}
