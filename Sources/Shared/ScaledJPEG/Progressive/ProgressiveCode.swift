/// A Huffman code as a scan's loop wants it: what a symbol means, found by the next bits.
///
/// Codes of up to `width` bits are found in one look-up, rarer ones by a search over their lengths.
struct ProgressiveCode {
    /// Encoders fit a code to each progressive scan, so that long codes are rare: 8 and 12 bits are up to 3 %
    /// slower.
    static let width = 10

    private let table: LookupTable<CodeEntry>
    private let meaning: (_ symbol: UInt8, _ length: Int) -> CodeEntry
    private let symbols: [UInt8]
    /// Per length 1…16: the first 16-bit prefix above its codes, and from a code's number to its symbol.
    private let limits: [Int]
    private let offsets: [Int]

    /// - Parameter meaning: what a symbol whose code has this length means.
    init(_ code: HuffmanCode, meaning: @escaping (_ symbol: UInt8, _ length: Int) -> CodeEntry) {
        table = LookupTable(width: Self.width, repeating: .none)
        self.meaning = meaning
        symbols = code.symbols
        var limits = [Int](repeating: 0, count: 17)
        var offsets = limits
        var (next, place) = (0, 0)
        for length in 1...16 {
            offsets[length] = place - next
            for _ in 0..<code.counts[length - 1] {
                if length <= Self.width {
                    let same = 1 << (Self.width - length)
                    table.fill(next * same..<(next + 1) * same, with: meaning(symbols[place], length))
                }
                next += 1
                place += 1
            }
            limits[length] = next << (16 - length)
            next <<= 1
        }
        self.limits = limits
        self.offsets = offsets
    }

    /// The code of coefficients that come for the first time.
    ///
    /// - Parameter largestSize: bits of the largest magnitude.
    init(_ code: HuffmanCode, largestSize: Int, lowBit: Int) {
        self.init(code) { symbol, length in
            let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
            if size == 0, run < 15 { return CodeEntry(endOfBand: run, length: length) }
            // A value of more than 16 bits is an error.
            guard size > 0, size <= largestSize, size + lowBit <= 15 else {
                return CodeEntry(rare: symbol, length: length)
            }
            return CodeEntry(length: length, size: size, advance: run + 1)
        }
    }

    /// The table's entries, for a loop: valid as long as this code is.
    var entries: Unchecked<CodeEntry> { table.elements }

    /// The index of the entry that tells what the next bits begin with.
    @inline(always)
    static func index(_ bits: UInt64) -> Int { Int(truncatingIfNeeded: bits &>> UInt64(64 - width)) }

    /// What the next bits begin with; `.none` when it is no code.
    @inline(always)
    func entry(_ entries: Unchecked<CodeEntry>, _ bits: UInt64) -> CodeEntry {
        let entry = entries[unchecked: Self.index(bits)]
        return entry.length == 0 ? search(bits) : entry
    }

    /// What the next bits begin with, when the table does not say; `.none` when it is no code.
    func search(_ bits: UInt64) -> CodeEntry {
        let prefix = Int(bits >> 48)
        for length in 1...16 where prefix < limits[length] {
            return meaning(symbols[prefix >> (16 - length) + offsets[length]], length)
        }
        return .none
    }
}

/// What a code means, in one word.
struct CodeEntry: BitwiseCopyable {
    private let word: UInt32

    /// No code, or one that is longer than the table is wide.
    static let none = CodeEntry(rare: 0, length: 0)
    private static let rare: UInt32 = 0x80
    private static let endOfBand: UInt32 = 0x40

    /// A number that stands `advance` coefficients further on: its code of 1…16 bits is followed by
    /// `size` bits, 0…15.
    init(length: Int, size: Int, advance: Int) {
        word = UInt32(length + size) | UInt32(length) << 8 | UInt32(size) << 16 | UInt32(advance) << 24
    }

    /// The end of a block's band, and of 2^size blocks more than the next `size` bits say, less one.
    init(endOfBand size: Int, length: Int) {
        word = Self.rare | Self.endOfBand | UInt32(length) << 8 | UInt32(size) << 16
    }

    /// A symbol that the loop does not expect: a long run, an error.
    init(rare symbol: UInt8, length: Int) {
        word = Self.rare | UInt32(length) << 8 | UInt32(symbol) << 16
    }

    /// All that is no number.
    @inline(always) var isRare: Bool { word & Self.rare != 0 }
    @inline(always) var isEndOfBand: Bool { word & Self.endOfBand != 0 }
    /// Bits of the code; 0 = `none`.
    @inline(always) var length: UInt64 { UInt64(word &>> 8 & 0xFF) }
    @inline(always) var size: Int { Int(truncatingIfNeeded: word &>> 16 & 0xFF) }
    @inline(always) var symbol: UInt8 { UInt8(truncatingIfNeeded: word &>> 16) }
    /// Of a number: code and what follows it, in bits.
    @inline(always) var total: UInt64 { UInt64(word & 0x3F) }
    @inline(always) var advance: Int { Int(truncatingIfNeeded: word &>> 24) }

    /// The blocks that have no more of their band, the present one first, and the bits that say so; nil where
    /// the entry says something else.
    @inline(always)
    func endedBlocks(_ bits: UInt64) -> (blocks: Int, taken: Int)? {
        guard isEndOfBand else { return nil }
        let more = Int(
            truncatingIfNeeded: ((bits &<< length) >> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        return (1 &<< size &+ more, Int(truncatingIfNeeded: length) &+ size)
    }

    /// The number at the beginning of the bits: the lower half of its values stands for negative ones.
    @inline(always)
    func value(_ bits: UInt64) -> Int {
        let number = bits &<< length
        let magnitude = Int(truncatingIfNeeded: (number >> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        // All ones when the first bit is 0.
        let isNegative = ~(Int(truncatingIfNeeded: number) &>> 63)
        return magnitude &+ (isNegative & (1 &- (1 &<< size)))
    }
}
