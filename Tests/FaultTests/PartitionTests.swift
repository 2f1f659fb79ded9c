import FleetSupport
import JobQueue
import TestSupport
import Testing

/// A real network between a worker and its Redis, cut in the middle of jobs.
struct PartitionTests {
    @Test(.enabled("needs root and ip netns") { await PulledCable.isPossible() })
    func `a worker whose cable is pulled for longer than its lease loses nothing and doubles nothing`()
        async throws
    {
        try await PulledCable.joined { cable in
            let fleet = try await TestFleet(
                configuration: [
                    "--port", "6379", "--bind", PulledCable.serverAddress, "--protected-mode", "no",
                ],
                redisOn: PulledCable.on(cable.server))
            try fleet.write(SlowPicture.bytes(side: 2048, bands: 10), to: "slow.jpg")
            let count = 24
            for number in 0..<count {
                try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
            }
            let far = try fleet.worker(
                on: PulledCable.on(cable.client), redis: "redis://\(PulledCable.serverAddress)")
            try await fleet.untilHolding(2, far)
            try await cable.pull()
            let pulled = ContinuousClock.now
            let near = try fleet.worker()
            _ = try await fleet.results(count)
            try await Task.sleep(until: pulled + .seconds(15), clock: .continuous)
            try await cable.plug()
            try await eventually("the end of the outage") {
                far.standardError.contains("redis.outage_ended") ? () : nil
            }
            let results = try await fleet.results(count)
            #expect(results.count == count && Set(results.map(\.id)).count == count)
            #expect(results.allSatisfy { $0.status == .done && ($0.attempt ?? 0) <= 2 })
            #expect(results.contains { $0.attempt == 2 }, "or the far worker held nothing")
            near.send(15)
            #expect(await near.wait() == .status(0))
            try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"after"}"#)
            let last = try #require(try await fleet.results(count + 1).last)
            let id = try await fleet.id(of: far).description
            #expect(last.worker == id && last.attempt == 1)
            far.send(15)
            #expect(await far.wait() == .status(0))
            try await fleet.expectAllSettled()
        }
    }
}
