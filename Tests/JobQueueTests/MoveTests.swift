import Redis
import TestSupport
import Testing

@testable import JobQueue

/// Each script that claims, waits or keeps house, and each of its answers, by what it does to every key.
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
        // It would fit, and leave a gap before it.
        let behind = try await fleet.producer.enqueue(
            [chunk("c", 2), chunk("d", 1)], batch: "b", longestQueue: 4)
        #expect(behind == [.full(waiting: 3), .full(waiting: 3)])
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
