/// Reads a short band that comes for the first time, as a finite automaton: its state is how many coefficients
/// of the block's band have been read, and one look-up by state and bits says all that these bits mean.
///
/// Where a block ends is what a processor guesses worst. Here nothing depends on it but arithmetic: a step
/// stores the block as far as it is known, and the next stores more of it or another block. That saves 7 % of
/// all time of progressive photographs at 1/4.
final class BandAutomaton {
    private let code: ProgressiveCode
    private let lowBit: Int
    private let first: Int
    private let count: Int
    /// By state and next bits. Apart, so that what the next step waits for stays in the first cache.
    private let steps: LookupTable<Step>
    private let values: LookupTable<Block>
    private let history: LookupTable<UInt8>
    /// By position in the band: where in a `Block` the coefficient is, 0 = nowhere.
    private let shifts: LookupTable<UInt8>

    /// The three AC coefficients of a block that 1/4 keeps, each in the 16 bits of its number.
    private typealias Block = UInt64

    /// Of the bits that are looked at; 9 and 11 are no faster.
    private static let width = 10
    private static let stateBits = 3
    /// A picture of less blocks takes less time than the tables.
    static let fewestBlocks = 1 << 14

    /// - Returns: nil when the scan's band is longer than there are states, or is without one of the coefficients
    ///   that a `Block` has.
    init?(_ scan: ProgressiveScan, kept: KeptCoefficients) {
        let band = scan.header.firstCoefficient...scan.header.lastCoefficient
        guard kept.eighths == 2, kept.mask & ~scan.header.band == 0, band.count <= 1 << Self.stateBits else {
            return nil
        }
        lowBit = scan.header.lowBit
        code = ProgressiveCode(scan.codes[0], largestSize: 15, lowBit: lowBit)
        (first, count) = (band.lowerBound, band.count)
        let size = Self.width + Self.stateBits
        steps = LookupTable(width: size, repeating: .unknown)
        values = LookupTable(width: size, repeating: 0)
        history = LookupTable(width: size, repeating: 0)
        shifts = LookupTable(width: Self.stateBits, repeating: 0)
        for (index, position) in band.enumerated() {
            let slot = kept.offsets.elements[unchecked: position] / UInt8(BlockGroups.size)
            shifts.fill(index..<index + 1, with: slot * 16)
        }
        for state in 0..<count {
            for bits in 0..<1 << Self.width {
                let (step, value, found) = step(state, UInt64(bits) << UInt64(64 - Self.width))
                let index = state << Self.width | bits
                steps.fill(index..<index + 1, with: step)
                values.fill(index..<index + 1, with: value)
                history.fill(index..<index + 1, with: found)
            }
        }
    }

    /// What the bits at the top, as many as are looked at, say of a block and of no other.
    private func step(_ state: Int, _ bits: UInt64) -> (Step, Block, found: UInt8) {
        var (state, bits, total) = (state, bits, 0)
        var block: Block = 0
        var found: UInt8 = 0
        while state < count {
            let entry = code.entries[unchecked: ProgressiveCode.index(bits)]
            if let (ended, taken) = entry.endedBlocks(bits) {
                // The zeros behind the bits that are looked at are not known.
                guard total + taken <= Self.width, ended <= Step.mostEnded else { break }
                return (Step(total: total + taken, ended: ended, state: 0), block, found)
            }
            let isKnown = !entry.isRare && total + Int(entry.total) <= Self.width
            guard isKnown, state + entry.advance <= count else { break }
            state += entry.advance
            block |= Self.part(entry.value(bits) << lowBit, shifts.elements[unchecked: state - 1])
            found |= 1 << UInt8(state - 1)
            bits <<= entry.total
            total += Int(entry.total)
        }
        guard total > 0 else { return (.unknown, 0, 0) }
        return (Step(total: total, ended: state == count ? 1 : 0, state: state % count), block, found)
    }

    /// Reads blocks beside each other.
    ///
    /// - Parameters:
    ///   - start: column of the first, whose band begins here.
    ///   - end: column behind the last. All between are stored.
    ///   - history: the row's, when it is to be recorded.
    /// - Returns: the column behind the last block that has ended; a run of empty blocks may lead beyond `end`.
    @inline(always)
    func read(
        from start: Int, to end: Int, _ coefficients: UncheckedMutable<Int16>, _ row: BlockRow,
        _ history: UncheckedMutable<UInt64>?, _ reader: inout BitReader, _ window: inout ScanWindow,
        _ bytes: Span<UInt8>
    ) throws(Declined) -> Int {
        let steps = self.steps.elements
        let values = self.values.elements
        let shifts = self.shifts.elements
        let entries = code.entries
        var (bits, limit) = (reader, window.limit)
        var column = start
        var state = 0
        var block: Block = 0
        while column < end {
            try window.prepare(&bits, &limit, in: bytes)
            // Not behind the refill: `BitReader.bitsBehindSymbol`.
            let index = state &<< Self.width | Int(truncatingIfNeeded: bits.word &>> UInt64(64 - Self.width))
            let step = steps[unchecked: index]
            bits.refill()
            let place = coefficients + row.value(column)
            if step.isUnknown {
                let entry = code.entry(entries, bits.word)
                if let (ended, taken) = entry.endedBlocks(bits.word) {
                    bits.drop(UInt64(truncatingIfNeeded: taken))
                    column &+= ended
                    (state, block) = (0, 0)
                    continue
                }
                state &+= entry.advance
                guard !entry.isRare, state <= count else {
                    throw .suspect(.entropy, offset: window.position)
                }
                let value = entry.value(bits.word) &<< lowBit
                block |= Self.part(value, shifts[unchecked: state &- 1])
                Self.store(block, place)
                if let history {
                    history[unchecked: column] |= 1 &<< UInt64(truncatingIfNeeded: first &+ state &- 1)
                }
                bits.drop(entry.total)
                guard state == count else { continue }
                column &+= 1
                (state, block) = (0, 0)
                continue
            }
            bits.drop(step.total)
            block |= values[unchecked: index]
            Self.store(block, place)
            if let history {
                let found = UInt64(self.history.elements[unchecked: index])
                history[unchecked: column] |= found &<< UInt64(truncatingIfNeeded: first)
            }
            column &+= step.ended
            // All ones when the block goes on.
            block &= UInt64(truncatingIfNeeded: (step.ended &- 1) >> 63)
            state = step.state
        }
        reader = bits
        return column
    }

    /// A coefficient among those of its block; none of it where `shift` says nowhere.
    @inline(always)
    private static func part(_ value: Int, _ shift: UInt8) -> Block {
        Block(UInt16(truncatingIfNeeded: value)) &<< Block(shift) & ~0xFFFF
    }

    @inline(always)
    private static func store(_ block: Block, _ place: UncheckedMutable<Int16>) {
        place[unchecked: BlockGroups.size] = Int16(truncatingIfNeeded: block &>> 16)
        place[unchecked: 2 * BlockGroups.size] = Int16(truncatingIfNeeded: block &>> 32)
        place[unchecked: 3 * BlockGroups.size] = Int16(truncatingIfNeeded: block &>> 48)
    }
}

/// Where a look-up leads.
private struct Step: BitwiseCopyable {
    private let word: UInt16

    /// The bits do not tell.
    static let unknown = Step(total: 0, ended: 0, state: 0)
    static let mostEnded = 511

    /// - Parameters:
    ///   - total: bits taken, at most 15; 0 = unknown.
    ///   - ended: blocks that have ended, the present one first.
    init(total: Int, ended: Int, state: Int) {
        word = UInt16(total) | UInt16(state) << 4 | UInt16(ended) << 7
    }

    @inline(always) var isUnknown: Bool { word == 0 }
    @inline(always) var total: UInt64 { UInt64(word & 15) }
    @inline(always) var state: Int { Int(word >> 4 & 7) }
    @inline(always) var ended: Int { Int(word >> 7) }
}
