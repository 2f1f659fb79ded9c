@testable import JobQueue
import Redis
import TestSupport
import Testing

/// The queue while Redis is full, forgets, restarts, or is cut off.
struct ServerTests {
    @Test func `a full Redis drains to nothing and takes no new work`() async throws {
        let fleet = try await Fleet()
        for start in stride(from: 0, to: 5_000, by: 500) {
            let jobs = (start..<start + 500).map { Array(job("\($0)", batch: "b").utf8) }
            _ = try await fleet.producer.enqueue([.init(name: "\(start)", jobs: jobs)], batch: "b")
        }
        // Full: whatever is used now is the limit.
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory", "1mb"))
        let chunk = ProducerQueue.Chunk(name: "more", jobs: [[0x61]])
        let error = await #expect(throws: QueueError.self) {
            try await fleet.producer.enqueue([chunk], batch: "b")
        }
        guard case .redis(.outOfMemory) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        let worker = fleet.worker()
        let refused = await #expect(throws: QueueError.self) {
            try await worker.wait(atMost: .milliseconds(50))
        }
        guard case .redis(.outOfMemory) = refused else {
            Issue.record("got \(String(describing: refused))")
            return
        }
        var finished = 0
        var moves = 0
        var backoff = Backoff()
        backoff.cap = .zero
        var generator = SplitMix(seed: 1)
        while case .jobs(let jobs) = try await worker.claim(limit: 100) {
            for job in jobs {
                let ticket = Job.read(job.raw).ticket
                // Every tenth move is one of those that add before they can free.
                moves += 1
                if moves % 10 == 0 {
                    _ = try await worker.retry(ticket, failed(ticket), backoff: backoff, using: &generator)
                    _ = try await worker.promote()
                } else {
                    if case .finished = try await worker.finish(ticket, done(ticket)) { finished += 1 }
                }
            }
            _ = try await worker.renew()
        }
        // A job that is every tenth move five times over is buried: that is a result, too.
        let progress = try await fleet.producer.progress(ofBatch: "b")
        #expect(progress.finished == finished && progress.finished > 4_900)
        #expect(progress.finished + progress.failed == 5_000)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `scripts that the server forgot are sent again`() async throws {
        let fleet = try await Fleet()
        let raw = job("i")
        for round in 0..<2 {
            _ = try await fleet.producer.enqueue(
                [
                    .init(name: "a\(round)", jobs: [Array(raw.utf8)]),
                    .init(name: "b\(round)", jobs: [Array(raw.utf8)]),
                ],
                batch: "b")
            _ = try await fleet.worker().claim(limit: 1)
            _ = try await fleet.client.call(RedisCommand("SCRIPT", "FLUSH"))
            #expect(try await fleet.worker().finish(ticket(raw), done(ticket(raw))) == .finished(attempt: 1))
            _ = try await fleet.client.call(RedisCommand("SCRIPT", "FLUSH"))
        }
        #expect(try await fleet.operators.audit().waiting == 2)
    }

    @Test func `a job finishes over a restart of Redis`() async throws {
        let redis = try await PrivateRedis(appendOnly: true)
        let fleet = try await Fleet(redis)
        let raw = job("i")
        try await fleet.push(raw)
        _ = try await fleet.worker().claim(limit: 1)
        await redis.kill()
        let finishing = Task { try await fleet.worker().finish(ticket(raw), done(ticket(raw))) }
        try await redis.start()
        #expect(try await finishing.value == .finished(attempt: 1))
        let audit = try await fleet.operators.audit()
        #expect(audit.results == 1 && audit.missing == 0)
    }

    @Test(arguments: [WorkerQueue.Ownership.list, .none])
    func `a move that Redis answers too late is published once`(ownership: WorkerQueue.Ownership)
        async throws
    {
        let fleet = try await Fleet()
        var limits = RedisLimits()
        limits.call = .milliseconds(200)
        let moves = fleet.redis.client("moves", limits: limits)
        let worker = WorkerQueue(
            fleet.keys, worker: WorkerID("w1"), claims: fleet.client, moves: moves, ownership: ownership)
        let raw = job("i")
        try await fleet.push(raw)
        _ =
            ownership == .list
            ? try await worker.wait(atMost: .seconds(5)) : try await worker.popUnsafely(atMost: .seconds(5))
        // Connected, and the script known: the call must be one that Redis runs as it comes.
        _ = try await worker.crashes(of: ticket(raw))
        #expect(try await fleet.worker("other").finish(ticket(raw), done(ticket(raw))) == .stale)
        // The call lies in the server's socket when its time is over.
        fleet.redis.freeze()
        let before = moves.connectionID
        let finishing = Task { try await worker.finish(ticket(raw), done(ticket(raw))) }
        // A connection is given up when a call's time is over.
        while moves.connectionID == before { await Task.yield() }
        fleet.redis.thaw()
        let answer = await finishing.result
        switch ownership {
        case .list: #expect(try answer.get() == .stale, "sent again, and found done")
        case .none: #expect(throws: QueueError.self) { try answer.get() }
        }
        let audit = try await fleet.operators.audit()
        #expect(audit.results == 1 && audit.counters["finished"] == 1 && audit.missing == 0)
    }

    @Test func `a cut claim connection leaves its job in the worker's list, where it is found`() async throws
    {
        let fleet = try await Fleet()
        let claims = fleet.redis.client("claims")
        let worker = WorkerQueue(fleet.keys, worker: WorkerID("w1"), claims: claims, moves: fleet.client)
        let waiting = Task { try await worker.wait(atMost: .seconds(30)) }
        var number = claims.connectionID
        while number == nil {
            await Task.yield()
            number = claims.connectionID
        }
        while true {
            let clients = try await fleet.client.call(RedisCommand("CLIENT", "LIST")).text ?? ""
            if clients.contains("cmd=blmove") { break }
        }
        // The job is moved and the connection cut before the answer can be read: one step for the server.
        let replies = try await fleet.client.pipeline([
            RedisCommand("MULTI"), RedisCommand("LPUSH", "q", job("i")),
            RedisCommand("CLIENT", "KILL", "ID", "\(number ?? 0)"), RedisCommand("EXEC"),
        ])
        #expect(replies.last?.array?.last == .integer(1))
        let error = await #expect(throws: QueueError.self) { try await waiting.value }
        guard case .redis(let lost) = error, lost.isAmbiguous else {
            Issue.record("got \(String(describing: error))")
            return
        }
        let found = try await worker.claimedHere().jobs
        let waitingJobs = try await fleet.operators.audit().waiting
        #expect(found.count + waitingJobs == 1)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `a blocking client renews a lease without any task`() async throws {
        let fleet = try await Fleet()
        let address = fleet.redis.address
        let renewal = LeaseRenewal(fleet.keys, worker: WorkerID("w1"))
        let answer = try renewal.renew(on: BlockingRedisClient(address, name: "lease"), info: [("host", "h")])
        #expect(answer.expiredWorkers == 0 && !answer.isPaused)
        #expect(try await fleet.operators.audit().workers.map(\.id) == ["w1"])
        #expect(renewal.interval == .milliseconds(2_500))
    }

    @Test func `a server that evicts is refused with its policy`() async throws {
        let redis = try await PrivateRedis(configuration: ["--maxmemory-policy", "allkeys-lru"])
        let fleet = try await Fleet(redis)
        await #expect(throws: QueueError.evicts(policy: "allkeys-lru")) {
            try await fleet.operators.checkEviction()
        }
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory-policy", "noeviction"))
        try await fleet.operators.checkEviction()
    }

    @Test(arguments: ["+info", "+config|get", "+ping"])
    func `a user who may ask in one way only hears of the policy, and one who may not is not refused`(
        rule: String
    ) async throws {
        let redis = try await PrivateRedis(configuration: ["--maxmemory-policy", "allkeys-lru"])
        _ = try await redis.client().call(
            RedisCommand("ACL", "SETUSER", "me", "on", ">secret", "+ping", rule))
        let client = RedisClient(
            RedisAddress(.unix(path: redis.socket), user: "me", password: "secret"), name: "me")
        defer { client.close() }
        let operators = OperatorQueue(QueueKeys(), client: client)
        guard rule != "+ping" else { return try await operators.checkEviction() }
        await #expect(throws: QueueError.evicts(policy: "allkeys-lru")) {
            try await operators.checkEviction()
        }
    }
}
