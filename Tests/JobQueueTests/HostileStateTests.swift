@testable import JobQueue
import Redis
import TestSupport
import Testing

/// Redis refuses half a move, or holds what no script of ours wrote: no job is lost by it, and nobody crashes.
struct HostileStateTests {
    @Test(arguments: [
        "-xadd", "-lrem", "-zadd", "-hincrby", "-lpush", "-rpush", "-xdel", "-zrem", "-lmove", "-lpop",
    ])
    func `a user who lacks one command loses no job`(without command: String) async throws {
        let fleet = try await Fleet()
        let raws = (1...5).map { job("\($0)", batch: "b") }
        for raw in raws { try await fleet.push(raw) }
        let worker = fleet.worker()
        _ = try await worker.claim(limit: 5)
        _ = try await worker.bury(ticket(raws[4]), failed(ticket(raws[4])))
        var backoff = Backoff()
        (backoff.base, backoff.cap) = (.zero, .zero)
        var generator = SystemRandomNumberGenerator()
        _ = try await worker.retry(
            ticket(raws[3]), failed(ticket(raws[3])), backoff: backoff, using: &generator)
        #expect(try await places(fleet) == Set(["1", "2", "3", "4", "5"]).asCounts)

        let user = RedisAddress(fleet.redis.address.endpoint, user: "half", password: "secret")
        _ = try await fleet.client.call(
            RedisCommand("ACL", "SETUSER", "half", "on", ">secret", "~*", "&*", "+@all", command))
        let client = RedisClient(user, name: "half")
        let half = WorkerQueue(fleet.keys, worker: WorkerID("w1"), claims: client, moves: client)
        let operators = OperatorQueue(fleet.keys, client: client)
        // Whatever is refused changes nothing; what is not is whole.
        await attempt { () throws(QueueError) in
            _ = try await half.finish(ticket(raws[0]), done(ticket(raws[0])))
        }
        await attempt { () throws(QueueError) in
            _ = try await half.bury(ticket(raws[1]), failed(ticket(raws[1])))
        }
        await attempt { () throws(QueueError) in _ = try await half.release(ticket(raws[2])) }
        await attempt { () throws(QueueError) in _ = try await half.promote() }
        await attempt { () throws(QueueError) in
            let dead = try await fleet.operators.dead(named: "5").map(\.entry)
            _ = try await operators.retryDead(dead)
        }
        try await fleet.expire(worker)
        await attempt { () throws(QueueError) in _ = try await half.reclaim() }
        #expect(try await places(fleet) == Set(["1", "2", "3", "4", "5"]).asCounts)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    /// In how many places each job is: finished, dead, waiting, in a list or delayed.
    private func places(_ fleet: Fleet) async throws -> [String: Int] {
        var jobs: [String] = []
        for (command, key) in [
            ("LRANGE", "q"), ("LRANGE", "{q}:worker:w1"), ("ZRANGE", "{q}:delayed"),
        ] {
            jobs += (try await fleet.client.call(RedisCommand(command, key, "0", "-1")).array ?? [])
                .compactMap(\.text)
        }
        var ids = jobs.map { raw in ticket(String(raw.drop { $0 != "{" })).id }
        try await fleet.operators.forEachDead { job in
            ids.append(job.id)
            return true
        }
        let results = try await fleet.client.call(RedisCommand("XRANGE", "{q}:results", "-", "+")).array ?? []
        for result in try results.map({ try JobResult(json: $0.array?.last?.array?.last?.bytes ?? []) })
        where result.status == .done { ids.append(result.id) }
        return Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
    }

    @Test(arguments: ["{q}:results", "{q}:dead"])
    func `a stream that takes no entry any more keeps the job in the worker's list`(key: String) async throws
    {
        let fleet = try await Fleet()
        _ = try await fleet.client.call(
            RedisCommand("XADD", key, "18446744073709551615-18446744073709551615", "a", "b"))
        let raw = job("1")
        try await fleet.push(raw)
        let worker = fleet.worker()
        _ = try await worker.claim(limit: 1)
        await #expect(throws: QueueError.self) { try await worker.bury(ticket(raw), failed(ticket(raw))) }
        #expect(try await fleet.keySpace().list("{q}:worker:w1") == [raw])
        #expect(try await fleet.operators.dead(named: "1").isEmpty, "it is in one place")
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `prose among the counters costs no job its way to the delayed ones`() async throws {
        let fleet = try await Fleet()
        _ = try await fleet.client.call(RedisCommand("HSET", fleet.keys.counters, "delayed_so_far", "x"))
        let raw = job("1")
        try await fleet.push(raw)
        let worker = fleet.worker()
        _ = try await worker.claim(limit: 1)
        var generator = SystemRandomNumberGenerator()
        _ = try await worker.retry(ticket(raw), failed(ticket(raw)), using: &generator)
        #expect(try await fleet.operators.audit().delayed == 1)
    }

    @Test func `a lease too far ahead ends like any other`() async throws {
        let fleet = try await Fleet()
        let raw = job("1")
        try await fleet.push(raw)
        let dead = fleet.worker("dead")
        _ = try await dead.claim(limit: 1)
        for score in ["inf", "1e300", "99999999999999"] {
            _ = try await fleet.client.call(RedisCommand("ZADD", fleet.keys.workers, score, "dead"))
            // Clock set back, or written by somebody: the next renewal of anybody brings it to within a lease.
            _ = try await fleet.worker("alive").renew()
            let audit = try await fleet.operators.audit()
            let left = audit.workers.first { $0.id == "dead" }?.leaseLeft ?? .zero
            #expect(left > .zero && left <= QueueLimits().lease)
        }
    }

    @Test func `numbers that nobody could mean end no program`() async throws {
        let fleet = try await Fleet()
        let largest = String(Int.max)
        for words in [
            ["ZADD", "{q}:workers", "inf", "ghost"], ["ZADD", "{q}:workers", "-inf", "other"],
            ["ZADD", "{q}:delayed", "1e300", "R1:x"], ["HSET", "{q}:batch:a", "total", largest],
            ["HSET", "{q}:batch:b", "total", largest, "finished", "-5"],
            ["HSET", "{q}:counters", "taken", largest, "finished", "-5", "buried", largest],
        ] {
            var command = RedisCommand(words[0])
            for word in words.dropFirst() { command.append(word) }
            _ = try await fleet.client.call(command)
        }
        let audit = try await fleet.operators.audit(batches: ["a", "b"])
        #expect(audit.missing != 0 && audit.missingOfBatches > 0)
        _ = try await fleet.operators.status()
        #expect(try await fleet.worker().renew().nextDue ?? .zero > .zero)
    }

    @Test func `jobs that are deleted from among the delayed are missed`() async throws {
        let fleet = try await Fleet()
        let raw = job("1")
        try await fleet.push(raw)
        let worker = fleet.worker()
        _ = try await worker.claim(limit: 1)
        var generator = SystemRandomNumberGenerator()
        _ = try await worker.retry(ticket(raw), failed(ticket(raw)), using: &generator)
        #expect(try await fleet.operators.audit().missing == 0)
        _ = try await fleet.client.call(RedisCommand("DEL", fleet.keys.delayed))
        #expect(try await fleet.operators.audit().missing == 1)
    }

    @Test func `another program's value under a worker's info costs it no lease`() async throws {
        let fleet = try await Fleet()
        let worker = fleet.worker()
        _ = try await fleet.client.call(RedisCommand("SET", "{q}:worker:w1:info", "x"))
        _ = try await worker.renew()
        #expect(try await fleet.operators.audit().workers.map(\.isAlive) == [true])
        let raw = job("1")
        try await fleet.push(raw)
        _ = try await worker.claim(limit: 1)
        _ = try await fleet.client.call(RedisCommand("SET", "{q}:worker:w1:info", "x"))
        try await fleet.expire(worker)
        #expect(try await fleet.worker("w2").reclaim().requeued == 1)
    }

    @Test func `names are compared byte by byte`() async throws {
        let fleet = try await Fleet()
        for id in ["caf\u{e9}", "cafe\u{301}"] {
            let raw = job(id)
            try await fleet.push(raw)
            let worker = fleet.worker()
            _ = try await worker.claim(limit: 1)
            _ = try await worker.bury(ticket(raw), failed(ticket(raw)))
        }
        #expect(try await fleet.operators.dead(named: "caf\u{e9}").count == 1)
    }

    /// A refusal is one of the answers.
    private func attempt(_ move: () async throws(QueueError) -> Void) async {
        do throws(QueueError) { try await move() } catch {
            if case .redis = error { return }
            Issue.record("\(error)")
        }
    }
}

extension Set<String> {
    /// Each once.
    fileprivate var asCounts: [String: Int] { Dictionary(uniqueKeysWithValues: map { ($0, 1) }) }
}
