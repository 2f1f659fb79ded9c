import FleetSupport
import FoundationEssentials
import JobQueue
import TestSupport
import Testing

/// What becomes of a worker whose folders are taken away.
struct FolderTests {
    @Test(arguments: ["photos", "thumbs"])
    func `a worker whose folder is replaced ends, says which, and loses no job`(name: String) async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.push(TestFleet.job("before"))
        _ = try await fleet.results(1)
        let place = fleet.folder.path + "/" + name
        try FileManager.default.moveItem(atPath: place, toPath: place + ".old")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        #expect(await worker.wait() == .status(74), "\(worker.standardError)")
        #expect(worker.standardError.contains(#""event":"worker.folder_displaced""#))
        #expect(worker.standardError.contains("/" + name + #"""#), "\(worker.standardError)")
        #expect(try await fleet.operators.audit().workers.isEmpty)
        // Whoever starts it again finds the new folder.
        try fleet.write(Fixture.bytes("landscape-420.jpg"), to: "a.jpg")
        let next = try fleet.worker(["--drain"])
        try await fleet.push(TestFleet.job("after"))
        #expect(await next.wait() == .status(0), "\(next.standardError)")
        #expect(try await fleet.results(2).map(\.status) == [.done, .done])
        #expect(FileManager.default.fileExists(atPath: fleet.output))
    }
}
