import FleetSupport
import JobQueue
import TestSupport
import Testing

/// A worker that has reached its service's limit of threads.
struct ThreadShortageTests {
    @Test func `a worker that gets no more threads does its jobs with those that it has, and says so once`()
        async throws
    {
        // Needs root, as containers have it.
        guard let group = ThreadGroup() else { return }
        let fleet = try await TestFleet()
        let worker = try fleet.worker(
            on: group.host,
            environment: [
                "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_READ_DELAY_MS": "50",
            ])
        try await fleet.untilAsleep(worker)
        group.limit(to: group.threads)
        let count = 40
        for number in 0..<count { try await fleet.push(TestFleet.job("\(number)")) }
        let results = try await fleet.results(count)
        #expect(results.allSatisfy { $0.status == .done && $0.attempt == 1 })
        #expect(
            worker.standardError.ranges(of: "worker.threads_scarce").count == 1, "\(worker.standardError)")
        group.limit(to: nil)
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }
}
