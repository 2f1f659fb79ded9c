/// Several AC symbols by one look at the next eleven bits, for coefficients that nobody wants.
struct RunLookup {
    /// | bits | |
    /// |---|---|
    /// | 0–5 | bits of all symbols and their values, at most `mostBits` |
    /// | 6– | the sum of their advances, as `HuffmanLookup` counts them; with its `escape` nothing is passed |
    typealias Entry = UInt16

    /// A third of what the bit reader has when it is topped up; what a symbol has more is left to `HuffmanLookup`.
    static let mostBits = 18

    private(set) var entries: [Entry]

    init(_ lookup: HuffmanLookup) {
        entries = [Entry](
            repeating: Entry(HuffmanLookup.escape << 6), count: 1 << HuffmanLookup.indexBits)
        fill(0..<entries.count, seen: HuffmanLookup.indexBits, behind: 0, lookup.codes)
    }

    /// Fills the entries that begin with the same symbols.
    ///
    /// - Parameters:
    ///   - range: the entries.
    ///   - seen: bits of the index behind the symbols: log2 of the entries.
    ///   - passed: what all of them have.
    private mutating func fill(
        _ range: Range<Int>, seen: Int, behind passed: Entry, _ codes: [HuffmanLookup.Entry]
    ) {
        var start = range.lowerBound
        for code in codes {
            let (bits, length, advance) = (Int(code & 63), Int(code >> 6 & 63), code >> 16)
            // Codes come in the order of their lengths. A code must be seen whole; the last value need not.
            guard length <= seen else { break }
            let end = start + 1 << (seen - length)
            let entry = passed + Entry(UInt32(bits) | advance << 6)
            if Int(entry & 63) > Self.mostBits {
                fill(start..<end, with: passed)
            } else if bits >= seen || advance == HuffmanLookup.blockEnd {
                fill(start..<end, with: entry)
            } else {
                let size = 1 << (seen - bits)
                fill(start..<start + size, seen: seen - bits, behind: entry, codes)
                // What the value is makes no difference.
                for index in start + size..<end { entries[index] = entries[index - size] }
            }
            start = end
        }
        fill(start..<range.upperBound, with: passed)
    }

    /// Where nothing is passed, the escape stays.
    private mutating func fill(_ range: Range<Int>, with entry: Entry) {
        guard entry != 0 else { return }
        for index in range { entries[index] = entry }
    }
}
