import FleetSupport
import FoundationEssentials
import JobQueue
import TestSupport
import Testing

/// Which files a worker reads and writes, and which limits it keeps.
struct SourceTests {
    @Test func `links are followed within the root and forbidden out of it`() async throws {
        let fleet = try await TestFleet(pictures: [
            "a.jpg": "landscape-420.jpg", "deep/b.jpg": "square-444.jpg",
        ])
        try fleet.write(Fixture.bytes("landscape-420.jpg"), to: "../outside/secret.jpg")
        try fleet.link("inside.jpg", to: "deep/b.jpg")
        try fleet.link("file-out.jpg", to: "../outside/secret.jpg")
        try fleet.link("folder-out", to: "../outside")
        try fleet.link("absolute-out.jpg", to: fleet.folder.path + "/outside/secret.jpg")
        try fleet.link("loop.jpg", to: "loop.jpg")
        let codes = try await codes(
            of: [
                "inside.jpg", "file-out.jpg", "folder-out/secret.jpg", "absolute-out.jpg", "deep/../a.jpg",
                fleet.sources + "/a.jpg", fleet.folder.path + "/outside/secret.jpg", "a.jpg/b.jpg",
            ], in: fleet)
        #expect(codes["inside.jpg"] == .some(nil) && codes["deep/../a.jpg"] == .some(nil))
        #expect(codes[fleet.sources + "/a.jpg"] == .some(nil), "an absolute path beneath the root")
        for path in [
            "file-out.jpg", "folder-out/secret.jpg", "absolute-out.jpg",
            fleet.folder.path + "/outside/secret.jpg",
        ] {
            #expect(codes[path] == .sourceForbidden, "\(path)")
        }
        #expect(codes["a.jpg/b.jpg"] == .sourceNotFound)
        #expect(fleet.thumbnail("9x9@1x/a.jpg") != nil, "outputs are named after the path under the root")
        try await fleet.expectAllSettled()
    }

    @Test func `an output that a link leads out of its directory is forbidden`() async throws {
        let fleet = try await TestFleet()
        try fleet.write([], to: "../outside/marker")
        try fleet.write([], to: "../thumbs/marker")
        try FileManager.default.createSymbolicLink(
            atPath: fleet.output + "/out", withDestinationPath: fleet.folder.path + "/outside")
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"output":"out/x.jpg"}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let error = try #require(try await fleet.results(1)[0].error)
        #expect(error.code == .sourceForbidden && error.message.contains("“\(fleet.output)”"))
        #expect(Fixture.contents(of: fleet.folder.path + "/outside/x.jpg") == nil)
        try await fleet.expectAllSettled()
    }

    @Test func `whoever names a wrong path is told where the worker looks`() async throws {
        let fleet = try await TestFleet()
        let more = fleet.folder.path + "/more"
        try fleet.write([], to: "../more/marker")
        for source in ["c.jpg", "../a.jpg"] {
            try await fleet.push(#"{"source":"\#(source)","pt":"9x9","scale":1}"#)
        }
        let worker = try fleet.worker(["--source-root", more, "--drain"])
        #expect(await worker.wait() == .status(0))
        let messages = try await fleet.results(2).compactMap(\.error?.message)
        #expect(messages.count == 2)
        for message in messages {
            #expect(message.hasSuffix("“\(fleet.sources)”, “\(more)”"), "\(message)")
        }
    }

    @Test func `each root is looked at in turn`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(Fixture.bytes("square-444.jpg"), to: "../more/b.jpg")
        let codes = try await codes(
            of: ["a.jpg", "b.jpg", "c.jpg"], in: fleet, ["--source-root", fleet.folder.path + "/more"])
        #expect(codes["a.jpg"] == .some(nil) && codes["b.jpg"] == .some(nil))
        #expect(codes["c.jpg"] == .sourceNotFound)
    }

    @Test func `a worker's own limit of pixels is kept`() async throws {
        let fleet = try await TestFleet(pictures: [
            "a.jpg": "landscape-420.jpg", "small.jpg": "orientation-1.jpg",
        ])
        let codes = try await codes(of: ["a.jpg", "small.jpg"], in: fleet, ["--max-pixels", "273279"])
        #expect(codes["a.jpg"] == .imageRefused, "640 × 427 is one more")
        #expect(codes["small.jpg"] == .some(nil))
        try await fleet.expectAllSettled()
    }

    @Test func `a decode that takes too long is given up, and the worker goes on`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096), to: "slow.jpg")
        try await fleet.push(
            #"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"slow"}"#,
            #"{"source":"a.jpg","pt":"9x9","scale":1}"#)
        let worker = try fleet.worker(["--drain", "--job-timeout", "100ms"])
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(2)
        let error = try #require(results.first { $0.id == "slow" }?.error)
        #expect(error.code == .timedOut && !error.retryable && error.detail["limit_ms"] == .integer(100))
        #expect(error.message.contains("--job-timeout"))
        #expect(results.contains { $0.status == .done })
        #expect(fleet.thumbnail("90x90@1x/slow.jpg") == nil)
        try await fleet.expectAllSettled()
    }

    /// The error of each source's job once a draining worker has done them all; nil for one that is done.
    private func codes(
        of sources: [String], in fleet: TestFleet, _ arguments: [String] = []
    ) async throws -> [String: ErrorCode?] {
        for source in sources { try await fleet.push(#"{"source":"\#(source)","pt":"9x9","scale":1}"#) }
        let worker = try fleet.worker(["--drain"] + arguments)
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(sources.count)
        return Dictionary(results.map { ($0.source ?? "", $0.error?.code) }) { $1 }
    }
}

extension TestFleet {
    /// A symbolic link beneath the source root.
    func link(_ path: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: sources + "/" + path, withDestinationPath: destination)
    }
}
