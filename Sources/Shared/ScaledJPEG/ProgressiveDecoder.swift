import Geometry

/// Progressive files: the scans that a scale needs, and no others.
enum ProgressiveDecoder {
    static func decode(
        _ bytes: Span<UInt8>, _ frame: FrameHeader, from first: ScanHeader, _ segments: SegmentReader,
        at scale: DecodeScale, shouldStop: () -> Bool
    ) throws(Declined) -> ScaledPicture {
        throw .unusual(.process)
    }
}
