import FleetSupport
import FoundationEssentials
import Glibc
import JobQueue
import TestSupport
import Testing

/// Options of a worker whose effect is seen in files, in the file system, or in time.
struct OptionTests {
    private static let job = #"{"source":"a.jpg","pt":"60x60","scale":1}"#
    private static let thumbnail = "60x60@1x/a.jpg"

    @Test func `linear light gives another picture of the same size`() async throws {
        let fleet = try await TestFleet()
        let usual = try await run(fleet, [])
        let linear = try await run(fleet, ["--linear"])
        #expect(usual != linear)
        #expect(try await fleet.results(2).allSatisfy { $0.outputs?.first?.width == 60 })
    }

    @Test(arguments: ["--source-root", "--output"])
    func `a folder that cannot be used is named with the option that named it`(option: String) async throws {
        let fleet = try await TestFleet()
        let file = fleet.sources + "/a.jpg"
        let worker = try fleet.worker([option, file])
        #expect(await worker.wait() == .status(78))
        #expect(worker.standardError.contains("worker: \(option): the directory “\(file)”"))
        #expect(worker.standardError.contains("or THUMBNAIL_"))
    }

    @Test func `an output that may not be written to ends a worker at its start`() async throws {
        let fleet = try await TestFleet()
        let place = fleet.folder.path + "/sealed"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        // Only root may mount, and nothing but a file system keeps root from writing.
        if geteuid() == 0 {
            let status = unsafe mount("tmpfs", place, "tmpfs", UInt(MS_RDONLY), nil)
            guard status == 0 else { return }
        } else {
            _ = unsafe chmod(place, 0o555)
        }
        defer { _ = unsafe umount2(place, Int32(MNT_DETACH)) }
        let worker = try fleet.worker(["--output", place])
        #expect(await worker.wait() == .status(78), "\(worker.standardError)")
        #expect(worker.standardError.contains("worker: --output: the directory “\(place)” cannot be used"))
    }

    /// 640 pixels to 45: 14 times.
    @Test func `in a hurry a picture is decoded at half the scale`() async throws {
        let fleet = try await TestFleet()
        for arguments in [[], ["--fast"]] {
            try await fleet.push(#"{"source":"a.jpg","pt":"45x45","scale":1}"#)
            let worker = try fleet.worker(arguments + ["--drain"])
            #expect(await worker.wait() == .status(0))
        }
        #expect(try await fleet.results(2).map(\.decodeScale) == [0.25, 0.125])
    }

    @Test func `variables that TurboJPEG obeys change no byte`() async throws {
        let fleet = try await TestFleet()
        let usual = try await run(fleet, [])
        let other = try await run(
            fleet, [], environment: ["TJ_OPTIMIZE": "1", "TJ_PROGRESSIVE": "1", "TJ_RESTART": "1"])
        #expect(usual == other)
    }

    @Test func `fsync makes file and name durable before the job is settled, and only where it is asked for`()
        async throws
    {
        let fleet = try await TestFleet()
        let log = fleet.folder.path + "/fsyncs"
        // What counts the calls writes a file that no worker needs.
        let environment = [
            "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_FSYNC_LOG": log,
            "THUMBNAIL_SANDBOX": "off",
        ]
        _ = try await run(fleet, [], environment: environment)
        #expect(Fixture.contents(of: log) == nil)
        _ = try await run(fleet, ["--fsync"], environment: environment)
        let count = (Fixture.contents(of: log) ?? []).count { $0 == UInt8(ascii: "\n") }
        #expect(count >= 2, "the file and its directory")
    }

    /// Every read takes 300 ms, and a job makes three at least. Two at a time, a hundred would take 45 s.
    @Test func `slow sources overlap by the hundred, whatever the number of cores`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(environment: [
            "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_READ_DELAY_MS": "300",
        ])
        try await eventually("the worker to be there") {
            worker.standardError.contains("worker.started") ? () : nil
        }
        let start = ContinuousClock.now
        for number in 0..<100 {
            try await fleet.push(#"{"source":"a.jpg","pt":"60x60","scale":1,"id":"\#(number)"}"#)
        }
        let results = try await fleet.results(100)
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(results.allSatisfy { ($0.timings?.read ?? 0) > 600 }, "or nothing was slow")
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `what a dead worker left unfinished is swept away once it is old`() async throws {
        let fleet = try await TestFleet()
        let old = ".tmp-w0000000000000001-0123456789abcdef"
        let young = ".tmp-w0000000000000002-0123456789abcdef"
        for name in [old, young] { try fleet.write([1], to: "../thumbs/album/" + name) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
            ofItemAtPath: fleet.output + "/album/" + old)
        let worker = try fleet.worker()
        try await eventually("the sweep") { fleet.thumbnail("album/" + old) == nil ? () : nil }
        #expect(fleet.thumbnail("album/" + young) != nil)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    /// The thumbnail of one job, made by a worker of its own in a folder of its own.
    private func run(
        _ fleet: TestFleet, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try await fleet.push(Self.job)
        let worker = try fleet.worker(
            arguments + ["--drain"], output: folder.path, environment: environment)
        #expect(await worker.wait() == .status(0))
        return try #require(Fixture.contents(of: folder.path + "/" + Self.thumbnail))
    }
}
