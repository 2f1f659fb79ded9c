@testable import ScaledJPEG
import TestSupport
import Testing

/// Lanes against the sequential engine: the same samples, and the same files declined.
struct LaneTests {
    /// Lanes at any scale; pieces so small that a small file has many and several plans, and many do not meet.
    static let tiny = LanePlan(chunk: 40, overlap: 16, least: 16, mostPieces: 6, isAlways: true)
    /// Lanes at any scale, in pieces as usual.
    private static let usual = LanePlan(isAlways: true)

    @Test(arguments: 0..<400)
    func `a generated file of any layout decodes as it does block after block`(seed: UInt64) {
        var encoder = PlainEncoder(random: 20_000 + seed)
        let bytes = encoder.file()
        for k in 1...4 { expectSameOutcome(bytes, eighths: k, Self.tiny, "seed \(seed)") }
    }

    @Test(arguments: 0..<200)
    func `and so it does where chroma is decoded at half of the scale`(seed: UInt64) {
        var encoder = PlainEncoder(random: 40_000 + seed)
        if seed % 2 == 0 {
            let factors = (h: 1 + Int(seed) / 2 % 2, v: 1)
            (encoder.sampling, encoder.scans) = ([factors, factors, factors], [[0, 1, 2]])
        }
        let bytes = encoder.file()
        for k in 2...4 {
            expectSameOutcome(bytes, eighths: k, chroma: .halved, Self.tiny, "seed \(seed)")
        }
    }

    @Test(arguments: [0, 1, 50, 173], [Self.tiny, Self.usual])
    func `a file of many windows decodes as it does block after block`(interval: Int, plan: LanePlan) {
        var encoder = PlainEncoder(random: 5)
        (encoder.width, encoder.height) = (400, 300)
        (encoder.sampling, encoder.scans) = ([(h: 2, v: 2), (h: 1, v: 1), (h: 1, v: 1)], [[0, 1, 2]])
        (encoder.emptiness, encoder.coarseness) = (20, 1)
        encoder.restartIntervals = [interval]
        let bytes = encoder.file()
        #expect(bytes.count > 2 * Stretch.unstuffed)
        for k in 1...4 { expectSameOutcome(bytes, eighths: k, plan, "interval \(interval)") }
    }

    @Test func `every sequential file of the corpus decodes as it does block after block`() {
        guard let corpus = Corpus() else { return }
        for row in corpus.manifest {
            guard let path = row["path"], let bytes = corpus.bytes(path) else { continue }
            for k in 1...4 {
                expectSameOutcome(bytes, eighths: k, Self.usual, path)
                expectSameOutcome(bytes, eighths: k, Self.tiny, path)
            }
        }
    }

    @Test(arguments: 0..<300)
    func `a damaged file is declined or decodes as it does block after block`(seed: UInt64) {
        var encoder = PlainEncoder(random: 30_000 + seed % 30)
        let sound = encoder.file()
        var random = SplitMix(seed: seed)
        for _ in 0..<10 {
            let mutant = Mutant.of(sound, random: &random)
            for k in 1...4 { expectSameOutcome(mutant, eighths: k, Self.tiny, "seed \(seed)") }
        }
    }

    @Test func `a file cut off anywhere is declined`() {
        var encoder = PlainEncoder(random: 4)
        (encoder.width, encoder.height) = (60, 60)
        let bytes = encoder.file()
        for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 500)) {
            expectSameOutcome(Array(bytes[..<length]), eighths: 1, Self.tiny, "\(length) bytes")
        }
    }
}

/// Expects lanes to make of a file what the sequential engine makes of it alone.
func expectSameOutcome(
    _ bytes: [UInt8], eighths k: Int, chroma: ChromaDetail = .full, _ plan: LanePlan, _ comment: String
) {
    switch (outcome(bytes, eighths: k, chroma, nil), outcome(bytes, eighths: k, chroma, plan)) {
    case (.success(let alone), .success(let laned)):
        #expect(alone.endOfImage == laned.endOfImage, "\(comment) at \(k)/8")
        for (one, other) in zip(alone.planes, laned.planes) {
            #expect(one.samples == other.samples, "\(comment) at \(k)/8")
        }
    case (.failure, .failure): break
    case (.success, .failure(let reason)): Issue.record("lanes: \(comment) at \(k)/8: \(reason)")
    case (.failure(let reason), .success): Issue.record("no lanes: \(comment) at \(k)/8: \(reason)")
    }
}

private func outcome(
    _ bytes: [UInt8], eighths k: Int, _ chroma: ChromaDetail, _ lanes: LanePlan?
) -> Result<ScaledPicture, Declined> {
    Result { () throws(Declined) in
        var segments = try SegmentReader(bytes.span)
        guard let scan = try segments.nextScan(in: bytes.span), let frame = segments.frame else {
            throw .suspect(.scan, offset: 0)
        }
        guard !frame.isProgressive else { throw .unusual(.process) }
        return try SequentialDecoder.decode(
            bytes.span, frame, from: scan, segments, at: ComponentScales(k, of: frame, chroma: chroma),
            lanes: lanes, shouldStop: { false })
    }
}
