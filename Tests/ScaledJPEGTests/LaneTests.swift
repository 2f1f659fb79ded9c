@testable import ScaledJPEG
import TestSupport
import Testing

/// Lanes against the sequential engine: the same samples, the same refusals.
struct LaneTests {
    /// So small that a small file has many pieces and several plans, and so little shared that many do not meet.
    static let tiny = LanePlan(chunk: 40, overlap: 16, leastScan: 0, leastWindow: 16, mostPieces: 6)

    @Test(arguments: 0..<400)
    func `a generated file of any layout decodes as it does one block after the other`(seed: UInt64) {
        var encoder = PlainEncoder(random: 20_000 + seed)
        let bytes = encoder.file()
        for k in 1...4 { expectSameOutcome(bytes, eighths: k, Self.tiny, "seed \(seed)") }
    }

    @Test(arguments: [0, 1, 50, 173])
    func `a file of many windows decodes as it does one block after the other`(interval: Int) {
        let bytes = large(restarts: interval)
        #expect(bytes.count > 2 * Stretch.unstuffed)
        for k in 1...4 { expectSameOutcome(bytes, eighths: k, LanePlan(), "interval \(interval)") }
    }

    @Test func `every sequential file of the corpus decodes as it does one block after the other`() throws {
        guard let corpus = Corpus() else { return }
        for row in corpus.manifest {
            guard let path = row["path"], let bytes = corpus.bytes(path) else { continue }
            for k in 1...4 {
                expectSameOutcome(bytes, eighths: k, LanePlan(), path)
                expectSameOutcome(bytes, eighths: k, LaneTests.tiny, path)
            }
        }
    }

    @Test(arguments: 0..<300)
    func `a damaged file is refused or decoded as it is one block after the other`(seed: UInt64) {
        var encoder = PlainEncoder(random: 30_000 + seed % 30)
        let sound = encoder.file()
        var random = SplitMix(seed: seed)
        for _ in 0..<10 {
            let mutant = Mutant.of(sound, random: &random)
            for k in 1...4 { expectSameOutcome(mutant, eighths: k, Self.tiny, "seed \(seed)") }
        }
    }

    private func large(restarts: Int) -> [UInt8] {
        var encoder = PlainEncoder(random: 5)
        (encoder.width, encoder.height) = (400, 300)
        (encoder.sampling, encoder.scans) = ([(h: 2, v: 2), (h: 1, v: 1), (h: 1, v: 1)], [[0, 1, 2]])
        (encoder.emptiness, encoder.coarseness) = (20, 1)
        encoder.restartIntervals = [restarts]
        return encoder.file()
    }
}

/// Expects lanes to make of a file what the sequential engine makes of it.
func expectSameOutcome(_ bytes: [UInt8], eighths k: Int, _ plan: LanePlan, _ comment: String) {
    let alone = outcome(bytes, eighths: k, nil)
    let laned = outcome(bytes, eighths: k, plan)
    switch (alone, laned) {
    case (.success(let alone), .success(let laned)):
        #expect(alone.endOfImage == laned.endOfImage, "\(comment) at \(k)/8")
        for (one, other) in zip(alone.planes, laned.planes) {
            #expect(one.samples == other.samples, "\(comment) at \(k)/8")
        }
    case (.failure, .failure): break
    case (.success, .failure(let reason)): Issue.record("\(comment) at \(k)/8: lanes \(reason)")
    case (.failure(let reason), .success): Issue.record("\(comment) at \(k)/8: alone \(reason)")
    }
}

private func outcome(_ bytes: [UInt8], eighths k: Int, _ lanes: LanePlan?) -> Result<ScaledPicture, Declined>
{
    do throws(Declined) {
        return .success(try baseline(bytes, eighths: k, lanes))
    } catch {
        return .failure(error)
    }
}

private func baseline(_ bytes: [UInt8], eighths k: Int, _ lanes: LanePlan?) throws(Declined) -> ScaledPicture
{
    var segments = try SegmentReader(bytes.span)
    guard let scan = try segments.nextScan(in: bytes.span), let frame = segments.frame else {
        throw .suspect(.scan, offset: 0)
    }
    guard !frame.isProgressive else { throw .unusual(.process) }
    return try BaselineDecoder.decode(
        bytes.span, frame, from: scan, segments, eighths: k, lanes: lanes, shouldStop: { false })
}
