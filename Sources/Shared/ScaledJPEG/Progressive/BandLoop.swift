/// The code of coefficients that come for the first time, in a band that has no corrections.
struct BandCode {
    fileprivate let code: ProgressiveCode
    fileprivate let pairs: LookupTable<SymbolPair>
    fileprivate let lowBit: Int

    /// - Parameter largestSize: bits of the largest magnitude.
    init(_ code: HuffmanCode, largestSize: Int, lowBit: Int) {
        self.lowBit = lowBit
        self.code = ProgressiveCode(code, largestSize: largestSize, lowBit: lowBit)
        pairs = SymbolPair.table(self.code, lowBit: lowBit)
    }
}

/// What reading a block's coefficients needs, for a loop to keep in registers.
struct BandLoop {
    private let code: ProgressiveCode
    private let entries: Unchecked<CodeEntry>
    private let pairs: Unchecked<SymbolPair>
    private let offsets: Unchecked<UInt8>
    private let unkept: UncheckedMutable<Int16>
    private let lastCoefficient: Int
    private let lastKept: Int
    private let lowBit: Int

    /// - Parameters:
    ///   - code: outlives the loop, as do the memory and what says which coefficients are kept.
    ///   - lastCoefficient: of the band.
    init(
        _ code: borrowing BandCode, through lastCoefficient: Int, kept: KeptCoefficients,
        unkept: UncheckedMutable<Int16>
    ) {
        self.code = code.code
        entries = code.code.entries
        pairs = code.pairs.elements
        offsets = kept.offsets.elements
        self.unkept = unkept
        self.lastCoefficient = lastCoefficient
        lastKept = 63 - kept.lowest.leadingZeroBitCount
        lowBit = code.lowBit
    }

    /// Reads the rest of a block's band.
    ///
    /// - Parameter first: where the rest begins.
    /// - Returns: a bit for each coefficient that is not zero, and how many blocks from this one on have no
    ///   more, 0 when the band was read to its last coefficient; nil when the bits are no band.
    @inline(always)
    func read(
        from first: Int, _ values: UncheckedMutable<Int16>, _ bits: inout BitReader
    ) -> (found: UInt64, endedBlocks: Int)? {
        var found: UInt64 = 0
        // Before which coefficient.
        var position = first
        // Two loops, since most symbols stand for nothing that is kept.
        var blocks = readSymbols(
            through: min(lastCoefficient, lastKept), &position, &found, values, &bits, keeps: true)
        if blocks == 0 {
            blocks = readSymbols(
                through: lastCoefficient, &position, &found, values, &bits, keeps: false)
        }
        guard blocks > 0 || blocks == 0 && position == lastCoefficient + 1 else { return nil }
        return (found, blocks)
    }

    /// Reads on until a coefficient is passed.
    ///
    /// - Returns: 0; at the end of the band how many blocks have no more, at least 1; less when the bits are
    ///   no band.
    @inline(always)
    private func readSymbols(
        through last: Int, _ position: inout Int, _ found: inout UInt64,
        _ values: UncheckedMutable<Int16>, _ bits: inout BitReader, keeps: Bool
    ) -> Int {
        while position <= last {
            // Not behind the refill: `BitReader.bitsBehindSymbol`.
            let pair = pairs[unchecked: SymbolPair.index(bits.word)]
            bits.refill()
            // Else the second may be of the next block.
            if position &+ pair.advance <= lastCoefficient {
                let first = position &+ pair.firstAdvance &- 1
                position &+= pair.advance
                found |= 1 &<< UInt64(truncatingIfNeeded: first)
                found |= 1 &<< UInt64(truncatingIfNeeded: position &- 1)
                if keeps {
                    keep(pair.firstValue, at: first, values)
                    keep(pair.lastValue, at: position &- 1, values)
                }
                bits.drop(pair.total)
                if pair.endsBand { return 1 }
                continue
            }
            if pair.isEndOfBand {
                bits.drop(pair.total)
                return 1 &<< pair.size &+ bits.take(pair.size)
            }
            var entry = entries[unchecked: ProgressiveCode.index(bits.word)]
            if entry.isRare {
                if entry.length == 0 { entry = code.search(bits.word) }
                if entry.isEndOfBand {
                    bits.drop(entry.length)
                    return 1 &<< entry.size &+ bits.take(entry.size)
                }
                if entry.isRare {
                    guard entry.length > 0, entry.symbol == 0xF0 else { return -1 }
                    bits.drop(entry.length)
                    position &+= 16
                    continue
                }
            }
            position &+= entry.advance
            found |= 1 &<< UInt64(truncatingIfNeeded: position &- 1)
            if keeps {
                let value = Int16(truncatingIfNeeded: entry.value(bits.word) &<< lowBit)
                // At most 16 behind the band, which is an error, and not kept.
                keep(value, at: position &- 1, values)
            }
            bits.drop(entry.total)
        }
        return 0
    }

    @inline(always)
    private func keep(_ value: Int16, at position: Int, _ values: UncheckedMutable<Int16>) {
        let offset = Int(offsets[unchecked: position])
        // No choice between two places, of which the compiler makes a branch: that took 8 % more time of a
        // detailed picture.
        let isUnkept = (offset &- 1) >> 63
        values[unchecked: offset &+ isUnkept & (unkept - values)] = value
    }
}

/// What the next bits begin with: one coefficient that is not zero or two, and perhaps the end of the block's
/// band behind them.
private struct SymbolPair: BitwiseCopyable {
    private let word: UInt64

    /// Wider and narrower tables are 3 to 5 % slower where there is much detail.
    private static let width = 11

    /// Passes every band, so that it is never taken for coefficients.
    private static let beyond = 255
    /// Neither coefficients nor an end.
    private static let none = SymbolPair(total: 0, endsBand: false, (0, 0), (beyond, 0))

    /// - Parameters:
    ///   - total: bits.
    ///   - first: how far it is to the first one, 1…16, and its value.
    ///   - last: the same of the second one; of the first one when there is no other.
    private init(
        total: Int, endsBand: Bool, _ first: (advance: Int, value: Int), _ last: (advance: Int, value: Int)
    ) {
        word =
            UInt64(total) | (endsBand ? 64 : 0) | UInt64(last.advance) << 8 | UInt64(first.advance) << 16
            | UInt64(UInt16(truncatingIfNeeded: first.value)) << 32
            | UInt64(UInt16(truncatingIfNeeded: last.value)) << 48
    }

    /// The end of the band of 2^size blocks and more, with a code of `length` bits.
    private init(endOfBand size: Int, _ length: Int) {
        word = UInt64(length) | 128 | UInt64(Self.beyond) << 8 | UInt64(size) << 16
    }

    static func table(_ code: ProgressiveCode, lowBit: Int) -> LookupTable<SymbolPair> {
        precondition(width <= BitReader.bitsBehindSymbol)
        let table = LookupTable(width: width, repeating: SymbolPair.none)
        for index in 0..<1 << width {
            var bits = UInt64(index) << UInt64(64 - width)
            var total = 0
            // The zeros behind the table's bits are not known.
            func next() -> CodeEntry? {
                let entry = code.entries[unchecked: ProgressiveCode.index(bits)]
                return !entry.isRare && total + Int(entry.total) <= width ? entry : nil
            }
            func take(_ entry: CodeEntry) -> (advance: Int, value: Int) {
                let value = entry.value(bits) << lowBit
                bits <<= entry.total
                total += Int(entry.total)
                return (entry.advance, value)
            }
            guard let entry = next() else {
                let end = code.entries[unchecked: ProgressiveCode.index(bits)]
                if end.isEndOfBand {
                    table.fill(index..<index + 1, with: SymbolPair(endOfBand: end.size, Int(end.length)))
                }
                continue
            }
            let first = take(entry)
            var last = first
            if let entry = next() {
                last = take(entry)
                last.advance += first.advance
            }
            let end = code.entries[unchecked: ProgressiveCode.index(bits)]
            let endsBand = end.isEndOfBand && end.size == 0 && total + Int(end.length) <= width
            if endsBand { total += Int(end.length) }
            table.fill(
                index..<index + 1, with: SymbolPair(total: total, endsBand: endsBand, first, last))
        }
        return table
    }

    @inline(always)
    static func index(_ bits: UInt64) -> Int { Int(truncatingIfNeeded: bits &>> UInt64(64 - width)) }

    @inline(always) var total: UInt64 { word & 0x3F }
    @inline(always) var endsBand: Bool { word & 64 != 0 }
    @inline(always) var isEndOfBand: Bool { word & 128 != 0 }
    @inline(always) var size: Int { firstAdvance }
    /// To the first one, and to the last one, in coefficients.
    @inline(always) var firstAdvance: Int { Int(truncatingIfNeeded: word &>> 16 & 0xFF) }
    @inline(always) var advance: Int { Int(truncatingIfNeeded: word &>> 8 & 0xFF) }
    @inline(always) var firstValue: Int16 { Int16(truncatingIfNeeded: word &>> 32) }
    @inline(always) var lastValue: Int16 { Int16(truncatingIfNeeded: word &>> 48) }
}
