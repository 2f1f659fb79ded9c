import Geometry

/// Sequential files, baseline and extended.
enum BaselineDecoder {
    static func decode(
        _ bytes: Span<UInt8>, _ frame: FrameHeader, from first: ScanHeader, _ segments: SegmentReader,
        at scale: DecodeScale, shouldStop: () -> Bool
    ) throws(Declined) -> ScaledPicture {
        throw .unusual(.process)
    }
}
