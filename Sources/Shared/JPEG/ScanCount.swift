/// Counts the scans of a file in memory, at the speed of a search for FF.
///
/// libjpeg decodes every scan over the whole picture before it shows a row, so that 38 KB can
/// cost a minute: count first.
public struct ScanCount: Sendable {
    /// Encoders write 10 to 20; other decoders draw the line here too.
    public static let limit = 500

    /// Scans up to the end of image; at least the first.
    public private(set) var scans = 0
    public private(set) var sawEndOfImage = false

    /// - Throws: `.tooManyScans` as soon as the count passes `limit`.
    public init(
        of header: JPEGHeader, in bytes: Span<UInt8>, limit: Int = ScanCount.limit
    ) throws(JPEGError) {
        var position = header.firstScan
        while let found = Self.nextFF(in: bytes, from: position), found + 1 < bytes.count {
            switch bytes[found + 1] {
            case 0xFF: position = found + 1  // a fill byte
            case 0x00, 0x01, 0xD0...0xD8: position = found + 2  // stuffing, TEM, restart
            case 0xD9:
                sawEndOfImage = true
                return
            case let marker:
                if marker == 0xDA {
                    scans += 1
                    guard scans <= limit else { throw .tooManyScans(limit: limit) }
                }
                guard found + 3 < bytes.count else { return }
                // A segment may hold any bytes, markers too: pass over it.
                position = found + 2 + max(2, bytes.uint16(at: found + 2))
            }
        }
    }

    /// Eight bytes at a time: a word holds an FF exactly when its complement holds a zero byte.
    private static func nextFF(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let raw = unsafe bytes.bytes
        var position = start
        while position + 8 <= bytes.count {
            let complement = unsafe ~raw.unsafeLoadUnaligned(
                fromUncheckedByteOffset: position, as: UInt64.self)
            let zeros = (complement &- ones) & ~complement & (ones << 7)
            if zeros != 0 { return position + zeros.littleEndian.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count {
            if bytes[position] == 0xFF { return position }
            position += 1
        }
        return nil
    }
}
