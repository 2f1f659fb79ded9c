@testable import ScaledJPEG

/// Lanes against the sequential engine: whatever the bytes are, they must make no difference.
enum LaneComparison {
    /// Short enough for several pieces in any file, and overlaps in which lanes meet or do not.
    private static let plans = [
        LanePlan(chunk: 40, overlap: 16, least: 16, mostPieces: 6, isAlways: true),
        LanePlan(chunk: 300, overlap: 96, least: 16, isAlways: true),
    ]

    /// - Returns: what differs; nil when all is the same, or the file is none for lanes.
    static func difference(_ bytes: [UInt8]) -> String? {
        for (plan, k) in [(plans[0], 1), (plans[0], 4), (plans[1], 2 + bytes.count % 2)] {
            // Where it makes a difference, chroma of luma's size has a loop of its own.
            let chroma: ChromaDetail = bytes.count / 2 % 2 == 0 ? .full : .halved
            let (alone, together) = (outcome(bytes, k, chroma, nil), outcome(bytes, k, chroma, plan))
            switch (alone, together) {
            case (.failure, .failure): break
            case (.success(let alone), .success(let together)):
                guard alone.endOfImage == together.endOfImage else { return "the end of the image at \(k)/8" }
                for (index, (one, other)) in zip(alone.planes, together.planes).enumerated() {
                    guard one.samples == other.samples else { return "component \(index) at \(k)/8" }
                }
            case (.success, .failure(let reason)): return "only lanes decline at \(k)/8: \(reason)"
            case (.failure(let reason), .success): return "only lanes take at \(k)/8: \(reason)"
            }
        }
        return nil
    }

    private static func outcome(
        _ bytes: [UInt8], _ k: Int, _ chroma: ChromaDetail, _ lanes: LanePlan?
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
}
