/// A Huffman code as a table over the next eleven bits: one symbol an entry.
struct HuffmanLookup {
    /// Bits of a table's index, this one's and those of `RunLookup` and `PairLookup`. With 12 the tables of luma
    /// and chroma together leave the first-level cache, and the half of them that is never met takes its time to
    /// be built: 2 % slower on photographs of 12 MP, 15 % on those of 30 KB; 10 are as fast, but at 1/8.
    static let indexBits = 11

    /// A symbol as the bit reader wants it:
    ///
    /// | bits | |
    /// |---|---|
    /// | 0–5 | bits of the code and of the value behind it; lowest, since a shift by an entry is a shift by these |
    /// | 6–11 | bits of the code |
    /// | 12–15 | bits of the value |
    /// | 16– | what a coefficient's position advances by: zeros before it + 1, or `blockEnd`, or `escape` |
    typealias Entry = UInt32

    /// Advance of an end of block. It counts as a coefficient, so that one that comes when the block is full
    /// already is seen.
    static let blockEnd: UInt32 = 256 + 1
    /// Advance of an entry that is no symbol. In the first level the code is longer than the index, or none:
    /// bits 0–15 are the number of its entries in the second level. There it is none.
    static let escape: UInt32 = 512

    /// The first level, then the second.
    let entries: [Entry]
    /// The symbols in the order of their codes; an escape, too, has the length of its code.
    let codes: [Entry]

    init(_ code: HuffmanCode, isDC: Bool) {
        let size = 1 << Self.indexBits
        let subsize = 1 << (16 - Self.indexBits)
        var entries = [Entry](repeating: Self.escape << 16, count: size + subsize)
        var codes: [Entry] = []
        // Each entry is due to all sixteen bits that begin with its code.
        var prefix = 0
        for length in 1...16 {
            for _ in 0..<code.counts[length - 1] {
                let entry = Self.entry(code.symbols[codes.count], length: length, isDC: isDC)
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
                codes.append(entry | UInt32(length) << 6)
            }
        }
        self.entries = entries
        self.codes = codes
    }

    /// Where the entry of a code is that is longer than the index.
    ///
    /// - Parameters:
    ///   - escape: what the first level has.
    ///   - bits: the code at the top.
    @inline(always)
    static func longCode(_ escape: Entry, _ bits: UInt64) -> Int {
        let subBits = 16 - indexBits
        return 1 << indexBits &+ Int(escape & 0xFFFF) << subBits &+ Int(bits >> 48) & (1 << subBits &- 1)
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
