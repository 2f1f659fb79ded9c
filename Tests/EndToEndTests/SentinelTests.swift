import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// A primary that dies for good while sentinels watch it.
struct SentinelTests {
    /// Enough work for some seconds: most of it is left when the primary dies, and done from the new one.
    private static let jobs = 40
    private static let picture = SlowPicture.bytes(side: 1024, bands: 16)

    @Test func `the fleet goes on by itself two seconds after a failover, and loses no replicated job`()
        async throws
    {
        let sentinels = try await PrivateSentinels()
        let fleet = try await TestFleet(behind: sentinels)
        try fleet.write(Self.picture, to: "slow.jpg")
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        // Behind its fence: the new primary has a port that nobody has named so far.
        #expect(worker.standardError.contains(#""open":["ports: "#), "\(worker.standardError)")
        var command = RedisCommand("LPUSH", fleet.keys.queue)
        for number in 0..<Self.jobs {
            command.append(#"{"source":"slow.jpg","pt":"60x60","scale":1,"id":"\#(number)"}"#)
        }
        _ = try await fleet.client.call(command)
        // What a replica has confirmed outlives the primary; nothing else is promised.
        let confirmed = try await fleet.client.call(
            RedisCommand("WAIT", "1", "5000", blocksFor: .seconds(5)))
        #expect(confirmed == .integer(1))
        await fleet.redis.kill()
        try await sentinels.untilFailedOver()
        let answered = ContinuousClock.now
        let before = try await Self.published(on: sentinels.replica, fleet.keys)
        try #require(before < Self.jobs, "all was done before the primary died")
        try await eventually(within: .seconds(20), "a result from the new primary") {
            try await Self.published(on: sentinels.replica, fleet.keys) > before ? () : nil
        }
        #expect(ContinuousClock.now - answered < .seconds(2))

        let results = try await fleet.results(Self.jobs)
        #expect(results.allSatisfy { $0.status == .done })
        #expect(Set(results.map(\.id)).count == Self.jobs && results.count == Self.jobs)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(worker.standardError.ranges(of: "redis.outage_began").count == 1)
        #expect(worker.standardError.ranges(of: "redis.outage_ended").count == 1)
        try await fleet.expectAllSettled()
        let audit = try ChildProcess(BuiltProgram.path("fleet"), ["audit", "--redis", sentinels.url])
        #expect(await audit.wait() == .status(0), "\(audit.standardError)")
    }

    private static func published(on redis: PrivateRedis, _ keys: QueueKeys) async throws -> Int {
        let client = redis.client()
        defer { client.close() }
        return try await client.callWhenUp(RedisCommand("XLEN", keys.results, mayBeReplayed: true)).integer
            ?? 0
    }
}
