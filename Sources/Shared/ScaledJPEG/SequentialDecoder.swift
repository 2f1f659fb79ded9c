/// Sequential files, baseline and extended: scan after scan, each component in one of them.
enum SequentialDecoder {
    static func decode(
        _ bytes: Span<UInt8>, _ frame: FrameHeader, from first: ScanHeader, _ segments: SegmentReader,
        at scales: ComponentScales, lanes: LanePlan? = LanePlan(), shouldStop: () -> Bool
    ) throws(Declined) -> ScaledPicture {
        var segments = segments
        let planes = frame.components.enumerated().map { ScaledPlane($1, of: frame, eighths: scales[$0]) }
        var missing = Set(frame.components.indices)
        var next: ScanHeader? = first
        while let scan = next {
            for component in scan.components {
                guard missing.remove(component.index) != nil else {
                    throw .suspect(.scan, offset: scan.dataStart)
                }
            }
            var decoding = try SequentialScan(
                scan, of: frame, segments.tables, at: scales, lanes: lanes, fileLength: bytes.count)
            let end = try decoding.decode(bytes, into: planes, shouldStop: shouldStop)
            segments.resume(at: end)
            next = try segments.nextScan(in: bytes)
        }
        guard missing.isEmpty else { throw .suspect(.scan, offset: segments.position) }
        return ScaledPicture(planes: planes, endOfImage: segments.position)
    }
}

extension SequentialDecoder {
    /// The planes, a window of the file with what lanes write about it, and of one row of MCUs the coefficients and
    /// the blocks' places.
    static func peakBytes(of frame: FrameHeader, at scales: ComponentScales, fileBytes: Int) -> Int {
        let row = frame.components.enumerated().reduce(0) { sum, entry in
            let (component, k) = (entry.element, scales[entry.offset])
            return sum + component.columnsKept(eighths: k) * component.v * k * k
        }
        let blocks = frame.components.reduce(0) { $0 + $1.storedColumns * $1.v }
        let window = min(fileBytes, Stretch.unstuffed)
        return ScaledPlane.bytes(of: frame, at: scales) + row * MemoryLayout<Int16>.size
            + blocks * MemoryLayout<BlockPlace>.size + window + LanePlan.words(ofWindow: window)
            * MemoryLayout<UInt32>.size + fixedBytes
    }

    /// Lookup tables: 90 KB, or 190 with the strangest codes, and as much again while they are put together;
    /// those of lanes, their pieces, and places of restart markers.
    private static let fixedBytes = 448 << 10
}
