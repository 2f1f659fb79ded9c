import JobQueue
import Redis
import TestSupport
import Testing

/// What operators decide about dead jobs, and what they can find out.
struct OperatorTests {
    /// Buries jobs of these ids, in their order.
    private func bury(_ ids: [String], batch: String? = nil, in fleet: Fleet) async throws {
        let worker = fleet.worker()
        for id in ids {
            // A busy machine takes longer for a thousand than a lease lasts.
            _ = try await worker.renew()
            let raw = job(id, batch: batch)
            try await fleet.push(raw)
            _ = try await worker.claim(limit: 1)
            _ = try await worker.bury(ticket(raw), failed(ticket(raw), .truncatedImage))
        }
    }

    private func entries(_ fleet: Fleet) async throws -> [String] {
        var entries: [String] = []
        try await fleet.operators.forEachDead { job in
            entries.append(job.entry)
            return true
        }
        return entries.reversed()
    }

    @Test func `a dead job that is retried waits behind the others, and its batch waits for it`()
        async throws
    {
        let fleet = try await Fleet()
        _ = try await fleet.producer.enqueue(
            [.init(name: "1", jobs: [Array(job("a", batch: "b").utf8)])], batch: "b")
        let worker = fleet.worker()
        _ = try await worker.renew()
        _ = try await worker.claim(limit: 1)
        let it = ticket(job("a", batch: "b"))
        _ = try await worker.bury(it, failed(it, .truncatedImage))
        try await fleet.push(job("waits"))
        let dead = try await entries(fleet)
        #expect(try await fleet.operators.retryDead(dead).done == 1)
        let after = try await fleet.keySpace()
        #expect(after.list("q") == [job("a", batch: "b"), job("waits")])
        #expect(after.stream("{q}:dead").isEmpty)
        let batch = try await fleet.producer.progress(ofBatch: "b")
        #expect((batch.total, batch.finished, batch.failed, batch.errors) == (1, 0, 0, [:]))
        #expect(after.hash("{q}:counters")["dead_retried"] == "1")
        let again = try await fleet.operators.retryDead(dead)
        #expect((again.done, again.gone) == (0, 1))
        _ = try await worker.claim(limit: 2)
        #expect(try await worker.finish(it, done(it)) == .finished(attempt: 1))
        #expect(try await fleet.producer.progress(ofBatch: "b").finished == 1)
        let audit = try await fleet.operators.audit(batches: ["b"])
        #expect((audit.missing, audit.missingOfBatches, audit.results) == (0, 0, 2))
    }

    @Test func `a batch that knows nothing of the failure counts a retried job as one more`() async throws {
        let fleet = try await Fleet()
        try await bury(["a"], batch: "b", in: fleet)
        _ = try await fleet.client.call(RedisCommand("DEL", "{q}:batch:b"))
        _ = try await fleet.client.call(RedisCommand("HSET", "{q}:batch:b", "total", "7"))
        _ = try await fleet.operators.retryDead(try await entries(fleet))
        let after = try await fleet.keySpace()
        #expect(after.hash("{q}:batch:b") == ["total": "8"])
        #expect(after.entries["{q}:batch:b"]?.expires == true)
    }

    @Test func `many operators that retry the same thousand dead jobs bring each back once`() async throws {
        let fleet = try await Fleet()
        try await bury((0..<1_000).map { "j\($0)" }, batch: "b", in: fleet)
        let dead = try await entries(fleet)
        #expect(dead.count == 1_000)
        let operators = (0..<4).map { number in
            OperatorQueue(fleet.keys, client: fleet.redis.client("operator\(number)"))
        }
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for one in operators {
                group.addTask {
                    var done = 0
                    for start in stride(from: 0, to: dead.count, by: OperatorQueue.deadPerCall) {
                        let some = Array(dead[start..<min(start + OperatorQueue.deadPerCall, dead.count)])
                        done += try await one.retryDead(some).done
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(done == 1_000)
        let after = try await fleet.keySpace()
        #expect(after.list("q").count == 1_000 && Set(after.list("q")).count == 1_000)
        #expect(after.stream("{q}:dead").isEmpty)
        #expect(try await fleet.producer.progress(ofBatch: "b").failed == 0)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `the same entry named twice in one call comes back once`() async throws {
        let fleet = try await Fleet()
        try await bury(["a"], in: fleet)
        let dead = try await entries(fleet)
        let answer = try await fleet.operators.retryDead(dead + dead)
        #expect((answer.done, answer.gone) == (1, 1))
        #expect(try await fleet.operators.audit().waiting == 1)
    }

    @Test func `a discarded job is gone, and its failure stays published`() async throws {
        let fleet = try await Fleet()
        try await bury(["a", "b"], batch: "b", in: fleet)
        let dead = try await entries(fleet)
        #expect(try await fleet.operators.discardDead([dead[0]]).done == 1)
        #expect(try await fleet.operators.discardDead(dead).gone == 1)
        let audit = try await fleet.operators.audit()
        #expect((audit.dead, audit.waiting, audit.results, audit.missing) == (0, 0, 2, 0))
        #expect(try await fleet.producer.progress(ofBatch: "b").failed == 2)
        #expect(audit.counters["dead_discarded"] == 2)
    }

    @Test func `dead jobs come back also when Redis is full`() async throws {
        let redis = try await PrivateRedis(configuration: ["--maxmemory-policy", "noeviction"])
        let fleet = try await Fleet(redis)
        try await bury(["a"], in: fleet)
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory", "1"))
        await #expect(throws: RedisError.self) { try await fleet.push(job("more")) }
        #expect(try await fleet.operators.retryDead(try await entries(fleet)).done == 1)
        #expect(try await fleet.operators.audit().waiting == 1)
    }

    @Test func `a dead job comes back although its batch is no hash, and an entry of others stays`()
        async throws
    {
        let fleet = try await Fleet()
        try await bury(["a"], batch: "b", in: fleet)
        _ = try await fleet.client.call(RedisCommand("XADD", "{q}:dead", "*", "note", "not ours"))
        let dead = try await entries(fleet)
        _ = try await fleet.client.call(RedisCommand("SET", "{q}:batch:b", "text"))
        let answer = try await fleet.operators.retryDead(dead)
        #expect((answer.done, answer.gone, answer.unusable) == (1, 0, 1))
    }

    @Test func `dead jobs are found by entry, by id and by age, newest first`() async throws {
        let fleet = try await Fleet()
        try await bury(["a", "b", "a", "1-2"], in: fleet)
        let dead = try await entries(fleet)
        #expect(try await fleet.operators.dead(named: dead[1]).map(\.id) == ["b"])
        #expect(try await fleet.operators.dead(named: "a").map(\.entry) == [dead[2], dead[0]])
        #expect(try await fleet.operators.dead(named: "1-2").map(\.entry) == [dead[3]])
        #expect(try await fleet.operators.dead(named: "none").isEmpty)
        let moment = try #require(try await fleet.operators.dead(named: dead[3]).first).buriedAt
        var found: [String] = []
        try await fleet.operators.forEachDead(in: .init(to: moment)) { job in
            found.append(job.id)
            return found.count < 2
        }
        #expect(found == ["1-2", "a"])
        var later = 0
        try await fleet.operators.forEachDead(in: .init(from: moment + 1)) { _ in
            later += 1
            return true
        }
        #expect(later == 0)
    }
}

/// What an audit finds when somebody has deleted keys.
struct DeletedKeysTests {
    @Test func `jobs in a list whose lease was deleted are seen, and reclaimed after a sweep`() async throws {
        let fleet = try await Fleet()
        for id in ["a", "b"] { try await fleet.push(job(id)) }
        let worker = fleet.worker("dead")
        _ = try await worker.claim(limit: 2)
        _ = try await fleet.client.call(RedisCommand("DEL", "{q}:workers"))
        let audit = try await fleet.operators.audit()
        #expect((audit.running, audit.missing) == (2, 0))
        #expect(audit.workers.map(\.hasLease) == [false])
        let other = fleet.worker("other")
        #expect(try await other.reclaim().requeued == 0, "it looks only at leases")
        #expect(try await other.sweep(cursor: "0").found == ["dead"])
        #expect(try await other.sweep(cursor: "0").found == [])
        try await fleet.expire(worker)
        #expect(try await other.reclaim().requeued == 2)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `a sweep finds also a list that no script has seen`() async throws {
        let keys = QueueKeys(queue: "q*[x]")
        let fleet = try await Fleet()
        let queue = WorkerQueue(keys, worker: WorkerID("w1"), claims: fleet.client, moves: fleet.client)
        _ = try await fleet.client.call(RedisCommand("LPUSH", keys.list(of: WorkerID("lost")), job("a")))
        _ = try await fleet.client.call(RedisCommand("LPUSH", "{qq[x]}:worker:not_ours", job("a")))
        let found = try await queue.sweep(cursor: "0")
        #expect(found.found == ["lost"] && found.cursor == "0")
        _ = try await fleet.client.call(RedisCommand("DEL", keys.workers))
        let repaired = try await OperatorQueue(keys, client: fleet.client).sweep()
        #expect(repaired.found == ["lost"] && repaired.isComplete)
    }

    @Test func `a worker that lives goes on after a sweep`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("a"))
        let worker = fleet.worker("alive")
        _ = try await worker.claim(limit: 1)
        _ = try await fleet.client.call(RedisCommand("DEL", "{q}:workers"))
        _ = try await fleet.worker("other").sweep(cursor: "0")
        #expect(try await fleet.worker("other").reclaim().requeued == 0)
        _ = try await worker.renew()
        #expect(try await worker.finish(ticket(job("a")), done(ticket(job("a")))) == .finished(attempt: 1))
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `a list that was deleted with its jobs is missing, with or without its lease`() async throws {
        let fleet = try await Fleet()
        for id in ["a", "b", "c"] { try await fleet.push(job(id)) }
        _ = try await fleet.worker("w1").claim(limit: 2)
        _ = try await fleet.worker("w2").claim(limit: 1)
        // What a blocking move brought to another worker does not hide it.
        try await fleet.push(job("d"))
        _ = try await fleet.client.call(RedisCommand("LMOVE", "q", "{q}:worker:w2", "RIGHT", "LEFT"))
        _ = try await fleet.client.call(RedisCommand("DEL", "{q}:worker:w1"))
        #expect(try await fleet.operators.audit().missing == 2)
        _ = try await fleet.client.call(RedisCommand("ZREM", "{q}:workers", "w1"))
        #expect(try await fleet.operators.audit().missing == 2)
        _ = try await fleet.worker("w2").sweep(cursor: "0")
        #expect(try await fleet.operators.audit().missing == 2, "a sweep hides nothing")
    }

    @Test func `jobs of a batch that vanish from the queue are missing from the batch`() async throws {
        let fleet = try await Fleet()
        let jobs = (0..<5).map { Array(job("\($0)", batch: "b").utf8) }
        _ = try await fleet.producer.enqueue([.init(name: "1", jobs: jobs)], batch: "b")
        try await fleet.push(job("x", batch: "uncounted"))
        #expect(try await fleet.operators.batchNames().names == ["b"])
        #expect(try await fleet.operators.audit(batches: ["b", "uncounted"]).missingOfBatches == 0)
        _ = try await fleet.client.call(RedisCommand("RPOP", "q", "3"))
        let audit = try await fleet.operators.audit(batches: ["b"])
        #expect((audit.missing, audit.missingOfBatches, audit.batches.first?.open) == (0, 2, 5))
    }
}
