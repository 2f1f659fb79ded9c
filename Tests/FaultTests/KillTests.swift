import Failpoints
import FleetSupport
import Glibc
import JobQueue
import TestSupport
import Testing

/// A worker is killed, or freezes for longer than its lease, in every gap between two of its steps.
struct KillTests {
    @Test(arguments: Failpoint.allCases)
    func `whatever step a worker dies at, every job is settled once and whole`(at failpoint: Failpoint)
        async throws
    {
        let scenario = CrashScenario(for: failpoint)
        let fleet = try await fleet()
        _ = try await scenario.bring(.kill, in: fleet)
        try await scenario.recover(in: fleet)
        try await expectVerdict(on: scenario, fleet, unfinished: scenario.unfinishedFiles)
    }

    @Test(arguments: Failpoint.allCases)
    func `whatever step a worker freezes at, it publishes nothing of what it lost when it comes back`(
        at failpoint: Failpoint
    ) async throws {
        let scenario = CrashScenario(for: failpoint)
        let fleet = try await fleet()
        let frozen = try await scenario.bring(.stop, in: fleet)
        try await scenario.recover(in: fleet)
        frozen.send(SIGCONT)
        frozen.send(SIGTERM)
        // A claim that is parked for ever never lets its worker go.
        if scenario.parked != .beforeWait {
            #expect(await frozen.wait(atMost: .seconds(10)) == .status(0), "\(frozen.standardError)")
        }
        frozen.send(SIGKILL)
        // What is pushed later may come to the blocking move of the frozen worker, and is taken from it again.
        try await expectVerdict(on: scenario, fleet, unfinished: 0, attemptsOfOthers: 1...2)
    }

    @Test func `a worker that dies between two thumbnails of one job leaves both whole in the end`()
        async throws
    {
        var scenario = CrashScenario(for: .fileWritten)
        scenario.passes = 1
        let fleet = try await fleet()
        _ = try await scenario.bring(.kill, in: fleet)
        #expect(try fleet.thumbnails().count == 1)
        try await scenario.recover(in: fleet)
        try await expectVerdict(on: scenario, fleet, unfinished: 1)
    }

    private func fleet() async throws -> TestFleet {
        // First, since it needs a place of its own.
        _ = try await CrashScenario.thumbnails.value
        return try await TestFleet(pictures: CrashScenario.pictures)
    }

    private func expectVerdict(
        on scenario: CrashScenario, _ fleet: TestFleet, unfinished: Int,
        attemptsOfOthers: ClosedRange<Int> = 1...1
    ) async throws {
        var expected = try await CrashScenario.thumbnails.value
        if scenario.isBuried { expected = expected.filter { !$0.key.hasPrefix("folder/") } }
        let results = try await fleet.expectVerdict(
            jobs: ["met", "other", "third"], thumbnails: expected, unfinished: unfinished)
        #expect(results["met"]?.attempt == scenario.attempt)
        #expect(results["met"]?.error?.code == (scenario.isBuried ? .sourceNotFound : nil))
        for id in ["other", "third"] {
            #expect(results[id]?.status == .done && attemptsOfOthers.contains(results[id]?.attempt ?? 0))
        }
    }

    @Test
    func `a failpoint or an action that there is not is refused at the start, with those that there are`()
        async throws
    {
        let folder = try TemporaryFolder()
        for (order, named) in [
            ("nowhere=kill", "before-claim"), ("read=eat", "kill, stop, abort, hang"),
            ("read=kill@0", "1 or more"),
        ] {
            let worker = try ChildProcess(
                BuiltProgram.path("worker"), ["--output", folder.path],
                environment: ["THUMBNAIL_FAILPOINT": order])
            #expect(await worker.wait() == .status(64))
            #expect(worker.standardError.contains(named))
        }
    }
}
