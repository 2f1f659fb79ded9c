/// Walks a file's segments, from scan to scan.
///
/// Strict: fill bytes are passed over, anything else between segments is declined. A value, without the
/// bytes it walks over: they are handed to each call.
struct SegmentReader {
    private(set) var tables = Tables()
    private(set) var frame: FrameHeader?
    private var restartInterval = 0
    /// Where the next marker is looked for.
    private(set) var position = 2

    /// - Throws: `.suspect` when the file does not begin as a JPEG does.
    init(_ bytes: Span<UInt8>) throws(Declined) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else {
            throw .suspect(.segment, offset: 0)
        }
    }

    /// The next scan, its tables now in force; nil at the end of the image.
    mutating func nextScan(in bytes: Span<UInt8>) throws(Declined) -> ScanHeader? {
        while true {
            let start = position
            let marker = try nextMarker(in: bytes)
            if marker == 0xD9 { return nil }
            guard position + 2 <= bytes.count else { throw .suspect(.cut, offset: start) }
            let length = bytes.bigEndian16(at: position)
            guard length >= 2, position + length <= bytes.count else { throw .suspect(.cut, offset: start) }
            let payload = bytes.extracting(position + 2..<position + length)
            position += length
            switch marker {
            case 0xC4: try tables.takeHuffman(payload, offset: start)
            case 0xDB: try tables.takeQuantisation(payload, offset: start)
            case 0xDD:
                guard payload.count == 2 else { throw .suspect(.segment, offset: start) }
                restartInterval = payload.bigEndian16(at: 0)
            case 0xC0...0xCF:
                // Also DAC (CC): arithmetic coding.
                guard marker != 0xCC else { throw .unusual(.process) }
                guard frame == nil else { throw .suspect(.frame, offset: start) }
                frame = try FrameHeader(marker: marker, payload, offset: start)
            case 0xDA:
                guard let frame else { throw .suspect(.scan, offset: start) }
                return try ScanHeader(
                    payload, of: frame, restartInterval: restartInterval, dataStart: position)
            case 0xE0...0xEF, 0xFE: break
            default: throw .suspect(.segment, offset: start)
            }
        }
    }

    /// Goes on behind a scan: `end` is the position of the marker that ended its data.
    mutating func resume(at end: Int) { position = end }

    /// Passes the marker, which may have fill bytes before it.
    private mutating func nextMarker(in bytes: Span<UInt8>) throws(Declined) -> UInt8 {
        guard position + 1 < bytes.count else { throw .suspect(.cut, offset: position) }
        guard bytes[position] == 0xFF else { throw .suspect(.segment, offset: position) }
        while position + 1 < bytes.count, bytes[position + 1] == 0xFF { position += 1 }
        guard position + 1 < bytes.count else { throw .suspect(.cut, offset: position) }
        let marker = bytes[position + 1]
        guard marker >= 0xC0, !(0xD0...0xD8).contains(marker) else {
            throw .suspect(.segment, offset: position)
        }
        position += 2
        return marker
    }
}
