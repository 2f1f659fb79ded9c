/// Bits of unstuffed bytes, the next one at the top of a 64-bit word.
///
/// Whoever makes one proves that it stays inside of the memory: `refill` reads eight bytes at `next`, and
/// no more bits are dropped between two of them than it guarantees.
struct BitReader {
    /// Valid from the top for `bits`; below come more of the stream's bits or zeros.
    private(set) var word: UInt64 = 0
    private var bits: UInt64 = 0
    private var next: Unchecked<UInt8>

    /// What is there after `refill`, at least.
    static let bitsOfRefill = 56
    /// What is left of that behind a symbol of a progressive scan, at least: code and number take up to 31 bits.
    /// More than an index has, so that the next symbol is looked up before the next refill: the one need not
    /// wait for the other, which saves 5 % of all time.
    static let bitsBehindSymbol = bitsOfRefill - 31

    /// - Parameter position: in bits from `base`.
    @inline(always)
    init(_ base: Unchecked<UInt8>, at position: Int) {
        next = base + position >> 3
        refill()
        drop(UInt64(position & 7))
    }

    /// Tops up to 56…63 bits, without a branch: whole bytes that fit are taken, and what else of the eight
    /// is in the word already comes again as it was.
    @inline(always)
    mutating func refill() {
        let bytes = next.load(unchecked: 0, as: UInt64.self).bigEndian
        word |= bytes &>> bits
        next += Int((63 &- bits) >> 3)
        bits |= 56
    }

    /// Passes as many bits as the six lowest bits of `count` say; at most those that are there.
    @inline(always)
    mutating func drop(_ count: UInt64) {
        word = word &<< count
        bits = bits &- count & 63
    }

    /// The next bits as an index into a lookup table.
    @inline(always)
    var index: Int { Int(truncatingIfNeeded: word >> UInt64(64 - HuffmanLookup.indexBits)) }

    /// Position in bits from `base`.
    @inline(always)
    func position(from base: Unchecked<UInt8>) -> Int { (next - base) * 8 - Int(bits) }

    /// Where the next byte would come from: ahead of the position by at most eight.
    @inline(always)
    func isAtOrBefore(_ place: Unchecked<UInt8>) -> Bool { next <= place }

    /// The value behind a code, of the entry that stands at the top: a magnitude whose first bit is 0 when
    /// it is negative, as T.81 has it in F.2.2.1.
    @inline(always)
    func value(_ entry: HuffmanLookup.Entry) -> Int {
        let size = UInt64(entry >> 12 & 15)
        let behind = word &<< UInt64(entry >> 6)
        let magnitude = Int(truncatingIfNeeded: (behind >> 1) &>> (63 &- size))
        let isNegative = ~Int(truncatingIfNeeded: Int64(bitPattern: behind) >> 63)
        return magnitude &- isNegative & (1 &<< Int(size) &- 1)
    }
}
