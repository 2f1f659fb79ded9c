/// A Huffman code as a table over the next twelve bits: one symbol an entry.
struct HuffmanLookup {
    /// Bits of a table's index.
    static let indexBits = 12

    /// A symbol as the bit reader wants it:
    ///
    /// | bits | |
    /// |---|---|
    /// | 0–5 | bits of the code and of the value behind it; at the low end, since a shift by the whole entry is a shift by these |
    /// | 6–11 | bits of the code |
    /// | 12–15 | bits of the value |
    /// | 16– | what a coefficient's position advances by: zeros before it + 1, or `blockEnd` or `escape` |
    typealias Entry = UInt32

    /// Advance of an end of block. It counts as a coefficient, so that one that comes when the block is full
    /// already is seen.
    static let blockEnd: UInt32 = 256 + 1
    /// Advance of an entry that is no symbol. In the first level the code is longer than the index, or none:
    /// bits 0–15 are the number of its sixteen entries in the second level. There it is none.
    static let escape: UInt32 = 512

    /// The first level, then the second.
    let entries: [Entry]

    init(_ code: HuffmanCode, isDC: Bool) {
        let size = 1 << Self.indexBits
        let subsize = 1 << (16 - Self.indexBits)
        var entries = [Entry](repeating: Self.escape << 16, count: size + subsize)
        // Codes in turn, each with all sixteen bits that begin with it.
        var (prefix, place) = (0, 0)
        for length in 1...16 {
            for _ in 0..<code.counts[length - 1] {
                let entry = Self.entry(code.symbols[place], length: length, isDC: isDC)
                let index = prefix >> (16 - Self.indexBits)
                if length <= Self.indexBits {
                    for covered in index..<index + 1 << (Self.indexBits - length) { entries[covered] = entry }
                } else {
                    if entries[index] == Self.escape << 16 {
                        entries[index] |= UInt32((entries.count - size) / subsize)
                        entries.append(contentsOf: repeatElement(Self.escape << 16, count: subsize))
                    }
                    let start = size + subsize * Int(entries[index] & 0xFFFF) + prefix & (subsize - 1)
                    for covered in start..<start + 1 << (16 - length) { entries[covered] = entry }
                }
                prefix += 1 << (16 - length)
                place += 1
            }
        }
        self.entries = entries
    }

    private static func entry(_ symbol: UInt8, length: Int, isDC: Bool) -> Entry {
        let (zeros, size) = (UInt32(symbol >> 4), UInt32(symbol & 15))
        // No sample of eight bits has a difference of more than eleven bits. From fifteen on, a sum of
        // them could leave sixteen bits before the transform has seen one that is too large.
        if isDC, symbol > 14 { return escape << 16 }
        let bits = UInt32(length) + size
        // Like libjpeg, any symbol without a value but F0 (sixteen zeros) ends a block.
        let advance = size == 0 && zeros != 15 && !isDC ? blockEnd : zeros + 1
        return bits | UInt32(length) << 6 | size << 12 | advance << 16
    }
}

/// Several AC symbols by one look at the next twelve bits, for coefficients that nobody wants.
struct RunLookup {
    /// | bits | |
    /// |---|---|
    /// | 0–5 | bits of all symbols and their values, at most 27 |
    /// | 6– | the sum of their advances; with `blockEnd` it ends the block, with `escape` nothing is passed |
    typealias Entry = UInt16

    let entries: [Entry]

    init(_ symbols: HuffmanLookup) {
        let indexBits = HuffmanLookup.indexBits
        let single = symbols.entries
        entries = (0..<1 << indexBits).map { index in
            var (bits, advance): (UInt32, UInt32) = (0, 0)
            while bits < indexBits {
                let entry = single[index << bits & (1 << indexBits - 1)]
                // The code must be seen whole; the last value need not.
                guard entry >> 16 != HuffmanLookup.escape, bits + entry >> 6 & 63 <= indexBits else { break }
                bits += entry & 63
                advance += entry >> 16
                if advance >= HuffmanLookup.blockEnd { break }
            }
            return UInt16(bits | (bits == 0 ? HuffmanLookup.escape : advance) << 6)
        }
    }
}

/// Up to two AC symbols with their values by one look at the next twelve bits, for coefficients that are wanted.
struct PairLookup {
    /// | bits | |
    /// |---|---|
    /// | 0–5 | bits of all that is passed, at most 12; 0 for an escape |
    /// | 6–10 | advance of the first coefficient, 1…16, or `blockEnd`; 0 for an escape |
    /// | 11–15 | advance of the second one; `blockEnd` for the end of the block, or to end an escape; 0 for none |
    /// | 16–23 | the first value, signed |
    /// | 24–31 | the second value |
    typealias Entry = UInt32

    /// Leads beyond every position that a scale keeps.
    static let blockEnd: UInt32 = 31
    /// What is not to be had from the table: a code or value that twelve bits do not hold, a value that eight do not.
    static let escape: Entry = blockEnd << 11

    let entries: [Entry]

    init(_ symbols: HuffmanLookup) {
        let single = symbols.entries
        entries = (0..<1 << HuffmanLookup.indexBits).map { index in
            guard let first = Self.symbol(single, index, after: 0) else { return Self.escape }
            let entry = first.bits | first.advance << 6 | UInt32(UInt8(bitPattern: first.value)) << 16
            guard first.advance != Self.blockEnd,
                let second = Self.symbol(single, index, after: first.bits)
            else { return entry }
            return entry + second.bits | second.advance << 11 | UInt32(UInt8(bitPattern: second.value)) << 24
        }
    }

    /// The symbol `passed` bits into the index, if all of it is there.
    private static func symbol(
        _ single: [HuffmanLookup.Entry], _ index: Int, after passed: UInt32
    ) -> (bits: UInt32, advance: UInt32, value: Int8)? {
        let size = 1 << HuffmanLookup.indexBits
        let shifted = index << passed & (size - 1)
        let entry = single[shifted]
        let (bits, codeBits, valueBits) = (entry & 63, entry >> 6 & 63, entry >> 12 & 15)
        guard entry >> 16 != HuffmanLookup.escape, passed + bits <= HuffmanLookup.indexBits, valueBits <= 7
        else { return nil }
        if entry >> 16 == HuffmanLookup.blockEnd { return (bits, blockEnd, 0) }
        let magnitude = (shifted << codeBits & (size - 1)) >> (HuffmanLookup.indexBits - Int(valueBits))
        let isNegative = valueBits > 0 && magnitude < 1 << (valueBits - 1)
        return (bits, entry >> 16, Int8(isNegative ? magnitude - 1 << valueBits + 1 : magnitude))
    }
}
