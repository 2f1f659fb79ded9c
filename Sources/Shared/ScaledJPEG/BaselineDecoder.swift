/// Sequential files, baseline and extended: scan after scan, each component in one of them.
enum BaselineDecoder {
    static func decode(
        _ bytes: Span<UInt8>, _ frame: FrameHeader, from first: ScanHeader, _ segments: SegmentReader,
        eighths k: Int, lanes: LanePlan? = LanePlan(), shouldStop: () -> Bool
    ) throws(Declined) -> ScaledPicture {
        var segments = segments
        var planes = frame.components.map { ScaledPlane($0, of: frame, eighths: k) }
        var missing = Set(frame.components.indices)
        var next: ScanHeader? = first
        while let scan = next {
            for component in scan.components {
                guard missing.remove(component.index) != nil else {
                    throw .suspect(.scan, offset: scan.dataStart)
                }
            }
            var decoding = try SequentialScan(
                scan, of: frame, segments.tables, eighths: k, lanes: lanes, fileLength: bytes.count)
            let end = try decoding.decode(bytes, into: &planes, shouldStop: shouldStop)
            segments.resume(at: end)
            next = try segments.nextScan(in: bytes)
        }
        guard missing.isEmpty else { throw .suspect(.scan, offset: segments.position) }
        return ScaledPicture(planes: planes, endOfImage: segments.position)
    }
}
