import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Keys that somebody deletes under a running fleet.
struct LostLeaseTests {
    @Test func `the jobs of a killed worker finish although its lease was deleted`() async throws {
        let fleet = try await TestFleet()
        // Too slow to be done before the worker is killed.
        try fleet.write(SlowPicture.bytes(side: 4096), to: "slow.jpg")
        let first = try fleet.worker()
        try await fleet.untilAsleep(first)
        try await fleet.push(#"{"source":"slow.jpg","pt":"9x9","scale":1}"#)
        try await fleet.untilHolding(1, first)
        first.send(9)
        _ = await first.wait()
        _ = try await fleet.client.callWhenUp(RedisCommand("DEL", fleet.keys.workers))
        let second = try fleet.worker()
        let results = try await fleet.results(1, within: .seconds(60))
        #expect(results.map(\.status) == [.done] && results.map(\.attempt) == [2])
        second.send(15)
        #expect(await second.wait() == .status(0))
        try await fleet.expectAllSettled()
    }

    @Test func `a worker whose lease is deleted goes on`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        _ = try await fleet.client.callWhenUp(RedisCommand("DEL", fleet.keys.workers))
        for number in 0..<10 {
            try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"\#(number)"}"#)
        }
        #expect(try await fleet.results(10).allSatisfy { $0.attempt == 1 })
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectAllSettled()
    }
}
