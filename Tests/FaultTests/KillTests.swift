import Failpoints
import FleetSupport
import JobQueue
import TestSupport
import Testing

/// A worker is killed in every gap between two of its steps.
struct KillTests {
    @Test(arguments: Failpoint.allCases)
    func `whatever step a worker dies at, every job is settled once and whole`(at failpoint: Failpoint)
        async throws
    {
        let scenario = CrashScenario(for: failpoint)
        var expected = try await CrashScenario.thumbnails.value
        if scenario.isBuried { expected = expected.filter { !$0.key.hasPrefix("folder/") } }
        let fleet = try await TestFleet(pictures: CrashScenario.pictures)
        try await scenario.crash(in: fleet)
        try await scenario.recover(in: fleet)
        let results = try await fleet.expectVerdict(
            jobs: ["met", "other", "third"], thumbnails: expected, unfinished: scenario.unfinishedFiles)
        #expect(results["met"]?.attempt == scenario.attempt)
        #expect(results["met"]?.error?.code == (scenario.isBuried ? .sourceNotFound : nil))
        for id in ["other", "third"] {
            #expect(results[id]?.attempt == 1 && results[id]?.status == .done)
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
