import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// What a person has to mend before a queue can be used is said at the start, key by key.
struct QueueSetupTests {
    @Test func `every eviction policy but noeviction is refused by name, unless it is allowed`() async throws
    {
        let fleet = try await TestFleet()
        for policy in [
            "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random",
            "volatile-ttl",
        ] {
            _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory-policy", policy))
            let refused = try fleet.worker(["--drain"])
            let allowed = try fleet.worker(["--drain", "--allow-eviction"])
            #expect(await refused.wait() == .status(78), "\(policy)")
            #expect(
                refused.standardError.contains(policy) && refused.standardError.contains("noeviction"),
                "\(refused.standardError)")
            #expect(await allowed.wait() == .status(0), "\(policy)")
        }
    }

    @Test func `a worker that is refused has never been one of the fleet`() async throws {
        let fleet = try await TestFleet(configuration: ["--maxmemory-policy", "allkeys-lru"])
        let proxy = try FaultProxy(before: fleet.redis.address)
        // Checking takes its time, and a thread of the lease would have enough of it.
        proxy.plan(.hold, .before, command: 1, named: "INFO")
        let worker = try fleet.worker(redis: "\(proxy.address)")
        #expect(await proxy.untilHit(atMost: .seconds(20)) != nil)
        try await Task.sleep(for: .milliseconds(500))
        proxy.thaw()
        #expect(await worker.wait() == .status(78))
        #expect(proxy.seen.byName["EVALSHA"] == nil, "\(proxy.seen.byName)")
        #expect(try await fleet.operators.audit().workers.isEmpty)
    }

    @Test func `a key of another type is named with both types and what to do, by worker and enqueue`()
        async throws
    {
        let fleet = try await TestFleet()
        let expected: [String: String] = [
            fleet.keys.queue: "list", fleet.keys.workers: "zset", fleet.keys.attempts: "hash",
            fleet.keys.counters: "hash", fleet.keys.delayed: "zset", fleet.keys.dead: "stream",
            fleet.keys.results: "stream", fleet.keys.paused: "string",
            fleet.keys.list(of: WorkerID("w1")): "list",
        ]
        for (key, type) in expected {
            _ = try await fleet.client.call(RedisCommand("FLUSHALL"))
            // Known by its lease, so that its list is looked at.
            _ = try await fleet.client.call(RedisCommand("ZADD", fleet.keys.workers, "1", "w1"))
            _ = try await fleet.client.call(RedisCommand("DEL", key))
            _ = try await fleet.client.call(RedisCommand("PFADD", "foreign", "x"))
            _ = try await fleet.client.call(
                type == "string"
                    ? RedisCommand("LPUSH", key, "x") : RedisCommand("RENAME", "foreign", key))
            let found = type == "string" ? "list" : "string"
            let worker = try fleet.worker(["--drain"])
            let producer = try fleet.enqueue(["--dir", fleet.sources, "--pt", "9x9"])
            for program in [worker, producer] {
                #expect(await program.wait() == .status(78), "\(key)")
                let text = program.standardError
                #expect(
                    text.contains("\(key) holds a \(found), the queue needs a \(type)")
                        && text.contains("--queue"), "\(text)")
            }
        }
    }
}
