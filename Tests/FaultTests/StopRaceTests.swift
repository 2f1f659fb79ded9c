import FleetSupport
import Glibc
import JobQueue
import Redis
import TestSupport
import Testing

/// A push that meets a SIGTERM at a worker asleep in Redis: the window in which plain BRPOP loses jobs.
struct StopRaceTests {
    /// THUMBNAIL_LONG_TESTS=1 asks for more.
    private static let cycles = unsafe getenv("THUMBNAIL_LONG_TESTS") == nil ? 100 : 500

    @Test func `no job is lost between a push and a stop, and an idle worker is gone at once`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var chance = SplitMix(seed: seed)
        let fleet = try await TestFleet()
        var exits: [Duration] = []
        for cycle in 0..<Self.cycles {
            let worker = try fleet.worker()
            try await fleet.untilAsleep(worker)
            let gap = Duration.microseconds(Int.random(in: 0...3_000, using: &chance))
            let isPushFirst = Bool.random(using: &chance)
            let job = #"{"source":"a.jpg","pt":"9x9","scale":1,"id":"\#(cycle)"}"#
            let client = fleet.client
            let push = RedisCommand("LPUSH", fleet.keys.queue, job)
            // Both are on their way at once; the gap is between their starts.
            let pushing = Task {
                if !isPushFirst { try await Task.sleep(for: gap) }
                _ = try await client.call(push)
            }
            if isPushFirst { try await Task.sleep(for: gap) }
            let told = ContinuousClock.now
            worker.send(15)
            let exit = await worker.wait(atMost: .seconds(10))
            exits.append(ContinuousClock.now - told)
            try await pushing.value
            #expect(exit == .status(0), "seed \(seed), cycle \(cycle): \(worker.standardError)")
        }
        let last = try fleet.worker(["--drain"])
        #expect(await last.wait() == .status(0))
        let results = try await fleet.results(Self.cycles)
        #expect(results.count == Self.cycles && Set(results.map(\.id)).count == Self.cycles, "seed \(seed)")
        #expect(results.allSatisfy { $0.status == .done && $0.attempt == 1 }, "seed \(seed)")
        try await fleet.expectAllSettled()

        exits.sort()
        let at = { (share: Double) in exits[Int(Double(exits.count - 1) * share)] }
        print(
            "\(Self.cycles) stops: half within \(at(0.5)), 90 % \(at(0.9)), 99 % \(at(0.99)), all \(at(1))")
        // A busy machine may delay many of them.
        #expect(at(0.5) < .milliseconds(200), "\(at(0.5))")
    }
}
