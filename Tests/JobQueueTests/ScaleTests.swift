import JobQueue
import Redis
import TestSupport
import Testing

/// Queues of a size at which careless scripts stop a server.
struct ScaleTests {
    @Test(.timeLimit(.minutes(5)))
    func `every script stays below ten milliseconds beside a million waiting jobs`() async throws {
        let fleet = try await Fleet()
        let (waiting, due) = (1_000_000, 50_000)
        try await fill(fleet, waiting: waiting, due: due)
        let server = ServerTimes(fleet.client)

        // One dead worker with everything, as nobody has it, so that each call takes its chunk of a long list.
        try await fleet.expire(fleet.worker("dead"))
        _ = try await fleet.client.call(RedisCommand("RENAME", "{q}:retries", "{q}:worker:dead"))
        try await server.measure("reclaim") {
            var requeued = 0
            while true {
                let reclaimed = try await fleet.worker("w2").reclaim()
                requeued += reclaimed.requeued
                if !reclaimed.isCut { break }
            }
            #expect(requeued == due)
        }
        try await server.measure("promote") {
            var promoted = 0
            while case let (count, _) = try await fleet.worker("w2").promote(), count > 0 {
                promoted += count
            }
            #expect(promoted == due)
        }
        try await server.measure("renew") { for _ in 0..<200 { _ = try await fleet.worker().renew() } }
        try await server.measure("enqueue") {
            for chunk in 0..<100 {
                let jobs = (0..<500).map { Array(job("new\(chunk)-\($0)", batch: "b").utf8) }
                _ = try await fleet.producer.enqueue([.init(name: "\(chunk)", jobs: jobs)], batch: "b")
            }
        }
        var held: [JobTicket] = []
        try await server.measure("claim") {
            for _ in 0..<400 {
                guard case .jobs(let jobs) = try await fleet.worker().claim(limit: 10) else { continue }
                held += jobs.map { Job.read($0.raw).ticket }
            }
        }
        #expect(held.count >= 400)
        try await server.measure("settle") {
            var generator = SplitMix(seed: 1)
            for (number, ticket) in held.enumerated() {
                switch number % 4 {
                case 0: _ = try await fleet.worker().finish(ticket, done(ticket))
                case 1: _ = try await fleet.worker().retry(ticket, failed(ticket), using: &generator)
                case 2: _ = try await fleet.worker().bury(ticket, failed(ticket, .notAnImage))
                default: _ = try await fleet.worker().release(ticket)
                }
            }
        }
        try await server.measure("audit") {
            for _ in 0..<100 { _ = try await fleet.operators.audit() }
        }
        print("scripts beside \(waiting) waiting jobs: \(server.report.joined(separator: ", "))")
        #expect(try await fleet.client.call(RedisCommand("LLEN", "q")).integer ?? 0 > waiting)
    }

    /// So many jobs that wait, as many due retries and jobs for a dead worker as it says, and a full dead list.
    private func fill(_ fleet: Fleet, waiting: Int, due: Int) async throws {
        let fill = """
            for number = ARGV[2], ARGV[2] + 9999 do
                local job = string.format('{"id":"%s%d","source":"s","pt":"1x1","scale":1}', ARGV[1], number)
                if ARGV[1] == 'x' then redis.call('XADD', KEYS[1], '*', 'id', number, 'job', job)
                elseif ARGV[1] == 'd' then redis.call('ZADD', KEYS[1], number, 'R' .. number .. ':' .. job)
                else redis.call('LPUSH', KEYS[1], job) end
            end
            """
        for (key, mark, count) in [("q", "w", waiting), ("{q}:delayed", "d", due), ("{q}:retries", "r", due)]
        {
            for start in stride(from: 0, to: count, by: 10_000) {
                _ = try await fleet.client.call(RedisCommand("EVAL", fill, "1", key, mark, "\(start)"))
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a hundred thousand jobs leave the keys, the attempts and the memory of the first half`()
        async throws
    {
        let fleet = try await Fleet()
        let half = 50_000
        try await settle(half, named: "first", in: fleet)
        let before = try await Footing(of: fleet)
        try await settle(half, named: "second", in: fleet)
        let after = try await Footing(of: fleet)
        print("after \(half) jobs: \(before); after \(2 * half): \(after)")
        #expect(after.constantKeys == before.constantKeys)
        #expect(after.constantKeys.isSubset(of: ["{q}:counters", "{q}:dead", "{q}:results"]))
        #expect(after.memory < before.memory * 103 / 100, "bytes")
        // A stream is cut at whole nodes of a hundred entries.
        #expect(after.results <= Self.caps.results + 100 && after.dead <= Self.caps.dead + 100)
        let audit = try await fleet.operators.audit()
        #expect(audit.missing == 0 && audit.waiting + audit.running + audit.delayed == 0)
        let settled = audit.counters["finished", default: 0] + audit.counters["buried", default: 0]
        #expect(settled == 2 * half)
    }

    /// What is in Redis when no work is.
    private struct Footing {
        let memory: Int
        let constantKeys: Set<String>
        let results: Int
        let dead: Int

        init(of fleet: Fleet) async throws {
            var keys: Set<String> = []
            for key in try await fleet.client.call(RedisCommand("KEYS", "*")).array ?? [] {
                guard let key = key.text else { continue }
                if try await fleet.client.call(RedisCommand("PTTL", key)).integer == -1 { keys.insert(key) }
            }
            constantKeys = keys
            results = try await fleet.client.call(RedisCommand("XLEN", fleet.keys.results)).integer ?? 0
            dead = try await fleet.client.call(RedisCommand("XLEN", fleet.keys.dead)).integer ?? 0
            memory = try await usedMemory(of: fleet.client)
        }
    }

    private static let caps: QueueLimits = {
        var limits = QueueLimits()
        (limits.results, limits.dead) = (2_000, 500)
        return limits
    }()

    /// Pushes batches of jobs and settles them on four workers: one in ten is retried, buried or given back.
    private func settle(_ count: Int, named name: String, in fleet: Fleet) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            let batch = "\(name)-\(start / 10_000)"
            let jobs = (start..<start + 500).map { Array(job("\(name)\($0)", batch: batch).utf8) }
            _ = try await fleet.producer.enqueue([.init(name: "\(start)", jobs: jobs)], batch: batch)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                let client = fleet.redis.client()
                let worker = WorkerQueue(
                    fleet.keys, worker: WorkerID("w\(number)"), claims: client, moves: client,
                    limits: Self.caps)
                group.addTask { try await settleAll(on: worker, seed: UInt64(number)) }
            }
            try await group.waitForAll()
        }
    }

    /// Claims until nothing waits or is delayed, and leaves.
    private func settleAll(on worker: WorkerQueue, seed: UInt64) async throws {
        var backoff = Backoff()
        backoff.cap = .zero
        while true {
            _ = try await worker.renew([("host", "h")])
            guard case .jobs(let jobs) = try await worker.claim(limit: 100) else {
                if try await worker.promote().promoted > 0 { continue }
                break
            }
            // Together, as one pipeline.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, job) in jobs.enumerated() {
                    group.addTask { [backoff] in
                        var generator = SplitMix(seed: seed &+ UInt64(number))
                        let ticket = Job.read(job.raw).ticket
                        switch number {
                        case 0..<4:
                            _ = try await worker.retry(
                                ticket, failed(ticket), backoff: backoff, using: &generator)
                        case 4..<8: _ = try await worker.bury(ticket, failed(ticket, .notAnImage))
                        case 8..<10: _ = try await worker.release(ticket, after: .zero)
                        default: _ = try await worker.finish(ticket, done(ticket))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await worker.deregister())
    }
}

private func usedMemory(of client: RedisClient) async throws -> Int {
    let info = try await client.call(RedisCommand("INFO", "memory")).text ?? ""
    let line = info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") }
    return Int(line?.dropFirst("used_memory:".count) ?? "") ?? 0
}

/// The server's own times of scripts.
private final class ServerTimes {
    private let client: RedisClient
    private(set) var report: [String] = []

    init(_ client: RedisClient) { self.client = client }

    /// Runs calls of one script and checks them: at most two and one in a hundred may take ten ms, since
    /// a busy machine may take the processor away from the server in the middle of it.
    func measure(
        _ script: String, sourceLocation: SourceLocation = #_sourceLocation, _ calls: () async throws -> Void
    ) async throws {
        for words in [
            ["CONFIG", "SET", "slowlog-log-slower-than", "10000"], ["SLOWLOG", "RESET"],
            ["CONFIG", "RESETSTAT"],
        ] {
            var command = RedisCommand(words[0])
            for word in words.dropFirst() { command.append(word) }
            _ = try await client.call(command)
        }
        try await calls()
        let slow = try await client.call(RedisCommand("SLOWLOG", "LEN")).integer ?? .max
        let stats = try await client.call(RedisCommand("INFO", "commandstats")).text ?? ""
        let line = stats.split(whereSeparator: \.isNewline).first { $0.hasPrefix("cmdstat_evalsha:") } ?? ""
        var facts: [Substring: Double] = [:]
        for fact in line.dropFirst("cmdstat_evalsha:".count).split(separator: ",") {
            let parts = fact.split(separator: "=")
            if parts.count == 2 { facts[parts[0]] = Double(parts[1]) }
        }
        let (count, mean) = (Int(facts["calls"] ?? 0), facts["usec_per_call"] ?? .infinity)
        report.append("\(script) \(count) calls of \(Int(mean)) µs, \(slow) slow")
        #expect(count > 0 && slow <= 2 + count / 100, "\(script)", sourceLocation: sourceLocation)
        #expect(mean < 5_000, "\(script), µs", sourceLocation: sourceLocation)
    }
}
