/// Looks through IFD0 of an Exif block for the orientation, and at nothing else.
///
/// Offsets, thumbnails, maker notes and IFD1 are never followed, so nothing in them can keep the
/// tag from being found; an entry cut off by the end of the block ends the search.
enum IFD0Scan {
    private static let orientationTag = 0x0112
    private static let entryLength = 12

    /// The number stored, in range or not; nil when IFD0 has none, or cannot be found.
    static func orientation(in exif: Span<UInt8>) -> Int? {
        guard exif.starts(with: "Exif\0\0") else { return nil }
        let tiff = exif.extracting(droppingFirst: 6)
        guard let order = ByteOrder(of: tiff), let start = order.uint32(at: 4, in: tiff), start >= 8,
            let count = order.uint16(at: start, in: tiff)
        else { return nil }
        for index in 0..<count {
            let entry = start + 2 + index * entryLength
            guard entry + entryLength <= tiff.count else { return nil }
            if order.uint16(at: entry, in: tiff) == orientationTag {
                return value(of: entry, in: tiff, order)
            }
        }
        return nil
    }

    /// Values that fit in four bytes stand in the entry itself, left-aligned in either byte order;
    /// longer ones stand elsewhere, behind an offset.
    private static func value(of entry: Int, in tiff: Span<UInt8>, _ order: ByteOrder) -> Int? {
        guard let type = order.uint16(at: entry + 2, in: tiff), let size = sizes[type],
            let count = order.uint32(at: entry + 4, in: tiff), count >= 1
        else { return nil }
        var position = entry + 8
        if count > 4 / size {
            guard let offset = order.uint32(at: position, in: tiff) else { return nil }
            position = offset
        }
        return switch size {
        case 1: order.byte(at: position, in: tiff)
        case 2: order.uint16(at: position, in: tiff)
        default: order.uint32(at: position, in: tiff)
        }
    }

    /// Bytes of a BYTE, a SHORT and a LONG. Other types are no orientation.
    private static let sizes = [1: 1, 3: 2, 4: 4]
}

/// The byte order of a TIFF structure; reads beyond its end are nil.
private enum ByteOrder {
    case little, big

    init?(of tiff: Span<UInt8>) {
        if tiff.starts(with: "II*\0") {
            self = .little
        } else if tiff.starts(with: "MM\0*") {
            self = .big
        } else {
            return nil
        }
    }

    func byte(at offset: Int, in tiff: Span<UInt8>) -> Int? {
        offset < tiff.count ? Int(tiff[offset]) : nil
    }

    func uint16(at offset: Int, in tiff: Span<UInt8>) -> Int? {
        guard let first = byte(at: offset, in: tiff), let second = byte(at: offset + 1, in: tiff) else {
            return nil
        }
        return self == .little ? second << 8 | first : first << 8 | second
    }

    func uint32(at offset: Int, in tiff: Span<UInt8>) -> Int? {
        guard let first = uint16(at: offset, in: tiff), let second = uint16(at: offset + 2, in: tiff)
        else { return nil }
        return self == .little ? second << 16 | first : first << 16 | second
    }
}
