public import Geometry

/// Decodes of a JPEG only what a smaller picture needs.
///
/// A DCT block holds its frequencies one by one: a picture at k/8 needs the lowest k × k of each, and this
/// decoder neither keeps nor transforms the others. Of a progressive file it does not even read the scans
/// that hold nothing else, nor, at 1/4, last bits that a thumbnail does not show (`UnreadBits`). At 1/8 the
/// samples are libjpeg-turbo's, bit for bit; above, they are the truncated DCT, which keeps what a box average
/// would blur.
///
/// Whatever is out of the ordinary is declined, so that libjpeg-turbo has the last word on it.
public struct ScaledDecoder: Sendable {
    /// k of k/8 that can be decoded here.
    public static let scales: Set<DecodeScale> = [.eighth, .quarter, .threeEighths, .half]

    /// All components' planes, whole; nothing is delivered of a picture that is declined half-way.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - scale: luma's.
    ///   - shouldStop: asked from time to time.
    public static func decode(
        _ bytes: Span<UInt8>, at scale: DecodeScale, chroma: ChromaDetail = .full,
        shouldStop: () -> Bool = { false }
    ) throws(Declined) -> ScaledPicture {
        try decode(
            bytes, at: scale, chroma: chroma, fewestBlocks: BandAutomaton.fewestBlocks,
            shouldStop: shouldStop)
    }

    /// - Parameter fewestBlocks: of a component of a progressive file for which an automaton is worth its tables.
    package static func decode(
        _ bytes: Span<UInt8>, at scale: DecodeScale, chroma: ChromaDetail = .full, fewestBlocks: Int,
        shouldStop: () -> Bool = { false }
    ) throws(Declined) -> ScaledPicture {
        guard scales.contains(scale) else { throw .unusual(.scale) }
        var segments = try SegmentReader(bytes)
        let first = try segments.nextScan(in: bytes)
        guard let first, let frame = segments.frame else { throw .suspect(.scan, offset: 0) }
        let scales = ComponentScales(scale.eighths, of: frame, chroma: chroma)
        return frame.isProgressive
            ? try ProgressiveDecoder.decode(
                bytes, frame, from: first, segments, at: scales, fewestBlocks: fewestBlocks,
                shouldStop: shouldStop)
            : try SequentialDecoder.decode(
                bytes, frame, from: first, segments, at: scales, shouldStop: shouldStop)
    }
}
