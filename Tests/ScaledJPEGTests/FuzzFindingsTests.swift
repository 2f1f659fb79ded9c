import Foundation
@testable import ScaledJPEG
import ScaledOracle
import TestSupport
import Testing

/// What `make fuzz` looks for, asked of files that are known: its own, and all others that are here.
struct FuzzFindingsTests {
    @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: Fixture.path("fuzz")))
    func `a file that the fuzzer kept is declined, or decoded as libjpeg does`(name: String) throws {
        let bytes = Fixture.bytes("fuzz/" + name)
        try ScaledOracle.check(bytes)
        for k in 1...4 { expectSameOutcome(bytes, eighths: k, LaneTests.tiny, name) }
    }

    @Test func `every fixture is declined, or decoded as libjpeg does`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Fixture.path(""))
        for name in names where name.hasSuffix(".jpg") {
            do { try ScaledOracle.check(Fixture.bytes(name)) } catch { Issue.record("\(name): \(error)") }
        }
    }

    @Test func `odd and broken files of the corpus are declined, or decoded as libjpeg does`() {
        guard let corpus = Corpus() else { return }
        for path in corpus.manifest.compactMap({ $0["path"] }) {
            guard path.hasPrefix("odd/") || path.hasPrefix("broken/"), let bytes = corpus.bytes(path) else {
                continue
            }
            do { try ScaledOracle.check(bytes) } catch { Issue.record("\(path): \(error)") }
        }
    }

    /// Found in files that end so; every larger file may have it in its midst.
    @Test func `a search for the end of a scan takes a stuffed byte across its stretches`() throws {
        for start in 0...4 {
            var bytes = [UInt8](repeating: 1, count: start + Stretch.searched - 2)
            for _ in 0..<4 { bytes += [0xFF, 0] }
            let end = bytes.count
            bytes += [0xFF, 0xD9]
            let search = ScanSearch(restarts: 0)
            #expect(try search.end(from: 0, in: bytes.span, shouldStop: { false }) == end)
            #expect(throws: Declined.self) {
                try search.end(from: 0, in: bytes.span.extracting(..<end), shouldStop: { false })
            }
        }
    }
}
