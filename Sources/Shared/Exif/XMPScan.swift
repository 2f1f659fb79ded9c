/// Finds `tiff:Orientation` in an XMP packet by its text, as an attribute or as an element.
///
/// A search and not an XML parser: the packet is at most one segment long, and the worst that a
/// hostile one can do is to turn its own picture.
enum XMPScan {
    private static let name = Array("tiff:Orientation".utf8)

    /// The number stated, in range or not; nil when there is none.
    static func orientation(in xmp: Span<UInt8>) -> Int? {
        var position = 0
        while position + name.count < xmp.count {
            if isName(at: position, in: xmp) {
                if let value = number(after: position + name.count, in: xmp) { return value }
                position += name.count
            } else {
                position += 1
            }
        }
        return nil
    }

    /// A name of its own: after a space (an attribute) or `<` (an element), and not a closing tag.
    private static func isName(at position: Int, in xmp: Span<UInt8>) -> Bool {
        guard position > 0, xmp[position] == name[0] else { return false }
        let before = xmp[position - 1]
        guard isSpace(before) || before == UInt8(ascii: "<") else { return false }
        for index in name.indices where xmp[position + index] != name[index] { return false }
        return true
    }

    /// Reads `="6"`, `='6'` or `>6<`, with spaces anywhere between.
    private static func number(after start: Int, in xmp: Span<UInt8>) -> Int? {
        var position = afterSpace(start, in: xmp)
        guard position < xmp.count else { return nil }
        let opening = xmp[position]
        position = afterSpace(position + 1, in: xmp)
        if opening == UInt8(ascii: "=") {
            guard position < xmp.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(xmp[position])
            else { return nil }
            position = afterSpace(position + 1, in: xmp)
        } else if opening != UInt8(ascii: ">") {
            return nil
        }
        var value: Int?
        while position < xmp.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(xmp[position]) {
            // Two digits tell already that it is no orientation.
            value = min(99, (value ?? 0) * 10 + Int(xmp[position] - UInt8(ascii: "0")))
            position += 1
        }
        return value
    }

    private static func afterSpace(_ start: Int, in xmp: Span<UInt8>) -> Int {
        var position = start
        while position < xmp.count, isSpace(xmp[position]) { position += 1 }
        return position
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
