import FleetSupport
import Glibc
import JobQueue
import Redis
import TestSupport
import Testing

/// The process as a whole, given everything that there is.
struct MemoryLimitTests {
    /// Beyond its budget, by the contract.
    private static let beyond = 32 << 20
    /// Beyond its budget, before the kernel kills it: page tables and the kernel's buffers count there, too.
    private static let beyondInGroup = 48 << 20

    @Test(arguments: [32, 256])
    func `a worker stays within its budget and 32 MiB, and lives where it may have 48`(mebibytes: Int)
        async throws
    {
        let fleet = try await TestFleet()
        let paths = try pictures(of: fleet)
        for (number, path) in paths.enumerated() {
            let scale = number % 3 == 0 ? "[1,2,3]" : "\(1 + number % 3)"
            try await fleet.push(#"{"source":"\#(path)","pt":"360x240","scale":\#(scale),"id":"\#(number)"}"#)
        }
        let budget = mebibytes << 20
        let group = MemoryGroup(limit: budget + Self.beyondInGroup)
        var arguments = ["--memory-budget", "\(mebibytes)MiB"]
        if let corpus = Corpus() { arguments += ["--source-root", corpus.folder] }
        let worker = try fleet.worker(arguments, on: group?.host ?? [])
        let results = try await fleet.results(paths.count, within: .seconds(240))
        #expect(worker.memory("VmHWM") <= budget + Self.beyond)
        #expect(results.count == paths.count)
        #expect(results.contains { $0.status == .done })
        #expect(results.allSatisfy { $0.error?.code != .internal && $0.error?.code != .workerCrashed })
        #expect(results.compactMap(\.footprintBytes).allSatisfy { $0 <= budget })
        await fleet.stop([worker])
        if let group { #expect(try #require(group.kills) == 0) }
        try await fleet.expectConservation()
    }

    /// Takes a machine of its own: beside other tests a worker has more jobs on their way, and so more threads.
    @Test(.enabled(if: unsafe getenv("THUMBNAIL_LONG_TESTS") != nil))
    func `after ten thousand jobs a worker takes hardly more memory than after a hundred`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(["--memory-budget", "256MiB"])
        func run(_ jobs: Range<Int>) async throws -> Int {
            for number in jobs {
                try await fleet.push(#"{"source":"a.jpg","pt":"100x100","scale":1,"id":"\#(number)"}"#)
            }
            try await fleet.untilSettled(within: .seconds(240))
            return worker.memory("VmRSS")
        }
        let early = try await run(0..<100)
        let late = try await run(100..<10_100)
        #expect(Double(late) <= 1.1 * Double(early), "\(early) bytes, then \(late)")
        await fleet.stop([worker])
    }

    /// Everything that a worker may be given: the corpus where there is one, else the fixtures; and bombs.
    private func pictures(of fleet: TestFleet) throws -> [String] {
        let cmyk = FlatPicture.bytes(
            width: 10_000, height: 10_000, factors: [(1, 1), (1, 1), (1, 1), (1, 1)], isProgressive: true)
        let bombs = [
            "flat.jpg": FlatPicture.bytes(side: 12_000), "cmyk.jpg": cmyk,
            "slow.jpg": SlowPicture.bytes(side: 2048, bands: 4), "claims.jpg": Fixture.bytes("bomb.jpg"),
        ]
        for (path, bytes) in bombs { try fleet.write(bytes, to: path) }
        if let corpus = Corpus() {
            return bombs.keys.sorted() + corpus.manifest.compactMap { $0["path"] }
        }
        let fixtures = Fixture.names().filter { $0.hasSuffix(".jpg") }
        for name in fixtures { try fleet.write(Fixture.bytes(name), to: name) }
        // Each some times over, so that many are there at once.
        return bombs.keys.sorted() + (0..<8).flatMap { _ in fixtures }
    }
}
