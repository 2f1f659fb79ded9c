import FleetSupport
import FoundationEssentials
import JobQueue
import TestSupport
import Testing

/// Sources on a file system that answers late.
struct SlowFolderTests {
    /// Opening and reading a job's file take 600 ms. Two at a time, three hundred would take 90 s.
    @Test(
        .enabled("needs root, FUSE and python3-fusepy") { await SlowFolder.canBeMade })
    func `jobs on a slow file system overlap by the hundred, whatever the number of cores`() async throws {
        let fleet = try await TestFleet()
        let place = fleet.sources + "/slow"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let folder = try await SlowFolder(of: fleet.sources, at: place, delay: .milliseconds(200))
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        let start = ContinuousClock.now
        let count = 300
        for number in 0..<count {
            try await fleet.push(#"{"source":"slow/a.jpg","pt":"60x60","scale":1,"id":"\#(number)"}"#)
        }
        let results = try await fleet.results(count)
        #expect(ContinuousClock.now - start < .seconds(20), "\(ContinuousClock.now - start)")
        #expect(results.allSatisfy { $0.status == .done && ($0.timings?.read ?? 0) >= 600 })
        await fleet.stop([worker])
        withExtendedLifetime(folder) {}
        try await fleet.expectAllSettled()
    }
}
