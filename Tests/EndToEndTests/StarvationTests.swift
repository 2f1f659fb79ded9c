import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing
import Threading

/// Workers that get little of the processor: a lease must hold all the same.
struct StarvationTests {
    // Keeps every core busy for half a minute, so that beside it other tests would be measured wrongly.
    @Test(.enabled(if: LongTests.areOn), .timeLimit(.minutes(3)))
    func `no job is stolen from a nice worker that decodes on every core for three leases`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 2048), to: "slow.jpg")
        let idle = try fleet.worker()
        try await fleet.untilAsleep(idle)
        _ = try await fleet.client.call(RedisCommand("SET", fleet.keys.paused, "until the other is there"))
        let busy = try ChildProcess(
            "nice",
            [
                "-n", "19", BuiltProgram.path("worker"), "--source-root", fleet.sources, "--output",
                fleet.output, "--redis", fleet.url,
            ])
        _ = try await fleet.id(of: busy)
        _ = try await fleet.client.call(RedisCommand("DEL", fleet.keys.paused))
        let end = ContinuousClock.now + .seconds(33)
        var pushed = 0
        while ContinuousClock.now < end {
            if try await fleet.operators.audit().waiting < 2 * availableProcessors() {
                try await fleet.push(
                    #"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"\#(pushed)"}"#)
                pushed += 1
            } else {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        try await fleet.untilSettled()
        let results = try await fleet.results(pushed)
        #expect(results.count == pushed && results.allSatisfy { $0.attempt == 1 && $0.status == .done })
        #expect(Set(results.compactMap(\.worker)).count == 2, "or the nice one did nothing")
        #expect(try await fleet.operators.audit().counters["reclaimed"] == nil)
        #expect(!busy.standardError.contains("lease.lost") && !idle.standardError.contains("lease.lost"))
        await fleet.stop([busy, idle])
        try await fleet.expectAllSettled()
    }
}
