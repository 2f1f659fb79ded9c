/// Up to two AC symbols with their values by one look at the next eleven bits, for coefficients that are wanted.
struct PairLookup {
    /// | bits | |
    /// |---|---|
    /// | 0–5 | bits of all that is passed, at most 11; 0 for an escape |
    /// | 6–10 | advance of the first coefficient, 1…16, or `blockEnd`; 0 for an escape |
    /// | 11–15 | advance of the second one; 0 for none; `blockEnd` also in an escape |
    /// | 16–23 | the first value, signed |
    /// | 24–31 | the second value |
    typealias Entry = UInt32

    /// Leads beyond every position that a scale keeps.
    static let blockEnd: UInt32 = 31
    /// What this table does not have: a code or value that eleven bits do not hold, or a value that eight do not.
    static let escape: Entry = blockEnd << 11

    let entries: [Entry]

    init(_ lookup: HuffmanLookup) {
        let singles = Self.singles(lookup.codes)
        let indexBits = UInt32(HuffmanLookup.indexBits)
        entries = singles.indices.map { index in
            let first = singles[index]
            guard first != Self.escape, first >> 6 & 31 != Self.blockEnd else { return first }
            let second = singles[index << Int(first & 63) & (1 << HuffmanLookup.indexBits - 1)]
            guard second != Self.escape, first & 63 + second & 63 <= indexBits else { return first }
            return first + second & 63 | (second >> 6 & 31) << 11 | (second >> 16) << 24
        }
    }

    /// Entries of one symbol only.
    private static func singles(_ codes: [HuffmanLookup.Entry]) -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(1 << HuffmanLookup.indexBits)
        for code in codes {
            let (bits, length, size) = (Int(code & 63), Int(code >> 6 & 63), Int(code >> 12 & 15))
            guard length <= HuffmanLookup.indexBits else { break }
            guard bits <= HuffmanLookup.indexBits, size <= 7 else {
                entries += repeatElement(escape, count: 1 << (HuffmanLookup.indexBits - length))
                continue
            }
            let advance = code >> 16 == HuffmanLookup.blockEnd ? blockEnd : code >> 16
            for value in 0..<1 << size {
                let isNegative = size > 0 && value < 1 << (size - 1)
                let signed = UInt8(truncatingIfNeeded: isNegative ? value - 1 << size + 1 : value)
                entries += repeatElement(
                    UInt32(bits) | advance << 6 | UInt32(signed) << 16,
                    count: 1 << (HuffmanLookup.indexBits - bits))
            }
        }
        entries += repeatElement(escape, count: 1 << HuffmanLookup.indexBits - entries.count)
        return entries
    }
}
