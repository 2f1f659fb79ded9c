import JobQueue
import Redis
import TestSupport
import Testing

/// What a renewal counts of the whole queue, for the metrics.
struct FiguresTests {
    @Test func `a renewal counts the queue only when it is asked to`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("1"))
        #expect(try await fleet.worker().renew().figures == nil)
        #expect(try await fleet.keySpace()["{q}:watch"] == nil, "and remembers nothing of it")
        #expect(try await fleet.worker().renew(countsQueue: true).figures != nil)
    }

    @Test func `jobs are counted where they are, and workers while their lease runs`() async throws {
        let fleet = try await Fleet()
        let (one, two) = (fleet.worker("w1"), fleet.worker("w2"))
        for number in 1...7 { try await fleet.push(job("\(number)")) }
        for worker in [one, two] { _ = try await worker.renew() }
        _ = try await one.claim(limit: 3)
        _ = try await two.claim(limit: 1)
        _ = try await one.bury(ticket(job("1")), failed(ticket(job("1"))))
        _ = try await one.release(ticket(job("2")), after: .seconds(60))
        try await fleet.expire(two)
        let figures = try #require(try await one.renew(countsQueue: true).figures)
        #expect(figures.waiting == 3 && figures.running == 2 && figures.delayed == 1 && figures.dead == 1)
        #expect(figures.workers == 1 && figures.crashed == 0)
    }

    @Test func `jobs that are buried since workers died under them are counted for ever`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("poison"))
        for crash in 1...3 {
            let victim = fleet.worker("w\(crash)")
            _ = try await victim.renew()
            _ = try await victim.claim(limit: 1)
            try await fleet.expire(victim)
            _ = try await fleet.worker("reaper").reclaim()
        }
        let dead = try await fleet.operators.dead(named: "poison").map(\.entry)
        #expect(try await fleet.operators.discardDead(dead).done == 1)
        let figures = try #require(try await fleet.worker("reaper").renew(countsQueue: true).figures)
        #expect(figures.crashed == 1 && figures.dead == 0)
    }

    @Test
    func
        `the oldest job's age counts from the first look at it, whoever looked, and begins anew with the next`()
        async throws
    {
        let fleet = try await Fleet()
        func look(_ name: String) async throws -> Duration? {
            try await fleet.worker(name).renew(countsQueue: true).figures?.oldestWaited
        }
        #expect(try await look("w1") == nil, "none waits")
        for number in 1...3 { try await fleet.push(job("\(number)")) }
        #expect(try await look("w1") == nil, "it may have come just now")
        let past = try await fleet.operators.now() - 90_000
        _ = try await fleet.client.call(RedisCommand("HSET", fleet.keys.watch, "since", "\(past)"))
        let seen = try #require(try await look("w2"), "another worker's look counts")
        #expect((Duration.seconds(90) ... .seconds(100)).contains(seen))
        #expect(try await fleet.operators.status().recent.oldestWaited ?? .zero >= .seconds(90))
        _ = try await fleet.worker("w1").claim(limit: 1)
        #expect(try await look("w1") == nil, "the next one has become the oldest")
        #expect(try await fleet.keySpace().entries["{q}:watch"]?.expires == true)
    }

    @Test(arguments: ["{q}:dead", "{q}:watch", "{q}:counters"])
    func `something else under a key costs the figures, not the lease`(key: String) async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("1"))
        _ = try await fleet.client.call(RedisCommand("SET", key, "foreign"))
        let answer = try await fleet.worker().renew([("host", "h")], countsQueue: true)
        #expect(answer.figures == nil)
        let after = try await fleet.keySpace()
        #expect(after.sortedSet("{q}:workers").count == 1)
        #expect(after.hash("{q}:worker:w1:info")["host"] == "h")
    }
}
