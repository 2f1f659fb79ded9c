import FleetSupport
import FoundationEssentials
import Glibc
import JobQueue
import TestSupport
import Testing

/// Folders on a file system that answers no more, as a network share whose server is gone.
@Suite(.enabled("needs root, FUSE and python3-fusepy") { await SlowFolder.canBeMade })
struct HungFolderTests {
    @Test func `jobs whose share hangs hold up no others, and are others' after a stop`() async throws {
        let fleet = try await TestFleet()
        let share = try await Self.share(of: fleet.sources, at: fleet.sources + "/share")
        let worker = try fleet.worker(["--drain-timeout", "1s"])
        try await fleet.push(#"{"source":"share/a.jpg","pt":"9x9","scale":1,"id":"before"}"#)
        _ = try await fleet.results(1)
        try await share.hang()
        for number in 0..<4 {
            try await fleet.push(#"{"source":"share/a.jpg","pt":"60x60","scale":1,"id":"hung\#(number)"}"#)
        }
        for number in 0..<20 { try await fleet.push(TestFleet.job("well\(number)")) }
        let results = try await fleet.results(21)
        #expect(results.allSatisfy { $0.status == .done && !$0.id.hasPrefix("hung") })

        worker.send(SIGTERM)
        try await Self.untilGivenBack(4, fleet)
        #expect(await worker.wait() == .status(0))
        share.answer()
        let next = try fleet.worker()
        #expect(try await fleet.results(25).allSatisfy { $0.status == .done })
        await fleet.stop([next])
        try await fleet.expectAllSettled()
    }

    @Test func `a worker whose only root hangs lives, and ends when it is told to`() async throws {
        let fleet = try await TestFleet()
        let place = fleet.folder.path + "/share"
        let share = try await Self.share(of: fleet.sources, at: place)
        let address = "127.0.0.1:\(try PrivateRedis.freePort())"
        let worker = try ChildProcess(
            BuiltProgram.path("worker"),
            [
                "--source-root", place, "--output", fleet.output, "--redis", fleet.url, "--drain-timeout",
                "1s",
                "--listen", address,
            ])
        try await fleet.push(TestFleet.job("before"))
        _ = try await fleet.results(1)
        try await share.hang()
        try await fleet.push(TestFleet.job("hung"))
        try await eventually("the job to be taken") {
            try await fleet.operators.audit().running == 1 ? () : nil
        }
        for path in ["/livez", "/readyz"] {
            #expect(try await Self.health(path, of: address, fleet) == .status(0), "\(path)")
        }
        worker.send(SIGTERM)
        try await Self.untilGivenBack(1, fleet)
        #expect(await worker.wait() == .status(0))
        share.answer()
    }

    @Test func `a worker whose output hangs ends when it is told to, and its jobs are written by others`()
        async throws
    {
        let fleet = try await TestFleet()
        let place = fleet.folder.path + "/share"
        try FileManager.default.createDirectory(atPath: fleet.output, withIntermediateDirectories: false)
        let share = try await Self.share(of: fleet.output, at: place)
        let worker = try fleet.worker(["--drain-timeout", "1s"], output: place)
        try await fleet.push(TestFleet.job("before"))
        #expect(try await fleet.results(1)[0].status == .done)
        try await share.hang()
        for number in 0..<3 { try await fleet.push(TestFleet.job("hung\(number)")) }
        try await eventually("the jobs to be taken") {
            try await fleet.operators.audit().running == 3 ? () : nil
        }
        worker.send(SIGTERM)
        try await Self.untilGivenBack(3, fleet)
        let next = try fleet.worker()
        #expect(try await fleet.results(4).allSatisfy { $0.status == .done })
        #expect(await worker.wait() == .status(0))
        share.answer()
        await fleet.stop([next])
        try await fleet.expectAllSettled()
    }

    private static func share(of folder: String, at place: String) async throws -> SlowFolder {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        return try await SlowFolder(of: folder, at: place, delay: .zero)
    }

    private static func untilGivenBack(_ count: Int, _ fleet: TestFleet) async throws {
        try await eventually("\(count) jobs to be given back") {
            let status = try await fleet.operators.audit()
            return status.waiting + status.delayed == count && status.running == 0 ? () : nil
        }
    }

    private static func health(
        _ path: String, of address: String, _ fleet: TestFleet
    ) async throws -> ChildProcess.Exit? {
        let options = path == "/readyz" ? ["--ready"] : []
        return try await ChildProcess(
            BuiltProgram.path("fleet"), ["health", "--worker", address] + options
        ).wait()
    }
}
