/// A scan that brings one more bit of each coefficient of a band of one component: of those that are not
/// zero yet as corrections, of the others as those few that become ±1 now.
struct ACRefinementScan: ScanLoop {
    private let component: Int
    private let code: ProgressiveCode
    /// The same for what comes behind all corrections.
    private let uncorrected: BandCode
    private let kept: KeptCoefficients
    private let steps = ZeroStep.table
    private let band: UInt64
    private let lowBit: Int
    /// Blocks from here on that have corrections only.
    private var unchangedBlocks = 0

    init(_ scan: ProgressiveScan, kept: KeptCoefficients) {
        component = scan.header.components[0].index
        band = scan.header.band
        lowBit = scan.header.lowBit
        self.kept = kept
        code = ProgressiveCode(scan.codes[0]) { symbol, length in
            let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
            if size == 0, run < 15 { return CodeEntry(endOfBand: run, length: length) }
            // What becomes non-zero becomes ±1. A run of 15 without a number is sixteen zeros.
            guard size <= 1 else { return CodeEntry(rare: symbol, length: length) }
            return CodeEntry(length: length, size: size, advance: run)
        }
        uncorrected = BandCode(scan.codes[0], largestSize: 1, lowBit: lowBit)
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let row = coefficients.row(run.row, of: component)
        try coefficients.withMemory { memory throws(Declined) in
            guard let history = memory.history else {
                preconditionFailure("who refines remembers what there is to refine")
            }
            let loop = ACRefinementLoop(
                code: code, entries: code.entries, steps: steps.elements, offsets: kept.offsets.elements,
                unkept: memory.unkept, lowest: kept.lowest, band: band, bit: 1 << lowBit,
                uncorrected: BandLoop(
                    uncorrected, through: 63 - band.leadingZeroBitCount, kept: kept, unkept: memory.unkept))
            var (bits, limit) = (reader, window.limit)
            var unchanged = unchangedBlocks
            // The run's blocks are among those that are stored.
            for column in run.column..<run.column + run.count {
                try window.prepare(&bits, &limit, in: bytes)
                let block = row.blocks + column
                let nonzero = history[unchecked: block] & band
                let values = memory.values + row.value(column)
                if unchanged == 0 {
                    let end = loop.readBlock(nonzero, values, &bits)
                    guard let end else { throw .suspect(.entropy, offset: window.position) }
                    history[unchecked: block] |= end.found
                    // This block is the first of them; 0 when the band was read to its last coefficient.
                    unchanged = max(0, end.endedBlocks - 1)
                } else {
                    unchanged &-= 1
                    if nonzero != 0 { loop.readCorrections(nonzero, values, &bits) }
                }
            }
            unchangedBlocks = unchanged
            reader = bits
        }
    }

    mutating func endInterval(at offset: Int) throws(Declined) {
        guard unchangedBlocks == 0 else { throw .suspect(.entropy, offset: offset) }
    }
}

/// What reading a block needs, for a loop to keep in registers.
///
/// Corrections have no code: for each coefficient that is known not to be zero there is a bit. A block's
/// history says how many there are up to any place, so they are passed over at once; those of the lowest
/// coefficients are put aside and applied when the block is over. Behind the last of them the block reads
/// like one that comes for the first time, two coefficients a look-up, which saves a smooth picture a sixth of all
/// time.
private struct ACRefinementLoop {
    let code: ProgressiveCode
    let entries: Unchecked<CodeEntry>
    let steps: Unchecked<ZeroStep>
    let offsets: Unchecked<UInt8>
    let unkept: UncheckedMutable<Int16>
    /// A bit for each coefficient up to the last that is kept.
    let lowest: UInt64
    let band: UInt64
    /// What a correction adds to a magnitude.
    let bit: Int16
    let uncorrected: BandLoop

    /// Reads a block's band.
    ///
    /// - Parameter nonzero: a bit for each coefficient of the band that is not zero before this scan.
    /// - Returns: a bit for each that has become so, and how many blocks from this one on have no more of
    ///   these, 0 when the band was read to its last coefficient; nil when the bits are no band.
    @inline(always)
    func readBlock(
        _ nonzero: UInt64, _ values: UncheckedMutable<Int16>, _ bits: inout BitReader
    ) -> (found: UInt64, endedBlocks: Int)? {
        let first = band.trailingZeroBitCount
        if nonzero == 0 { return uncorrected.read(from: first, values, &bits) }
        var changes = Changes()
        var cursor = Cursor(position: first)
        let end = 64 &- nonzero.leadingZeroBitCount
        let lowestEnd = min(end, 64 &- lowest.leadingZeroBitCount)
        // What a run does not count: the coefficients that have corrections, and all outside of the band.
        let others = Int(bitPattern: UInt(~band | nonzero))
        // Two loops, since the one that puts nothing aside has registers enough.
        var blocks = readSymbols(before: lowestEnd, others, &cursor, &bits, &changes, putsAside: true)
        if blocks == 0 {
            blocks = readSymbols(before: end, others, &cursor, &bits, &changes, putsAside: false)
        }
        guard blocks >= 0, cursor.position <= 64 else { return nil }
        guard blocks == 0 else {
            let left = nonzero & (~0 << UInt64(truncatingIfNeeded: cursor.position))
            changes.takeRest(left.nonzeroBitCount, from: &bits)
            apply(changes, nonzero, cursor.found, values)
            return (cursor.found, blocks)
        }
        // All corrections have been passed.
        apply(changes, nonzero, cursor.found, values)
        let rest = uncorrected.read(from: cursor.position, values, &bits)
        guard let rest else { return nil }
        return (cursor.found | rest.found, rest.endedBlocks)
    }

    /// Reads a block that has corrections only.
    @inline(always)
    func readCorrections(
        _ nonzero: UInt64, _ values: UncheckedMutable<Int16>, _ bits: inout BitReader
    ) {
        var changes = Changes()
        changes.takeRest(nonzero.nonzeroBitCount, from: &bits)
        apply(changes, nonzero, 0, values)
    }

    /// Reads on until a coefficient is passed.
    ///
    /// - Returns: 0; at the end of the band how many blocks have no more, at least 1; less when the bits are
    ///   no band.
    @inline(always)
    private func readSymbols(
        before end: Int, _ others: Int, _ cursor: inout Cursor, _ bits: inout BitReader,
        _ changes: inout Changes, putsAside: Bool
    ) -> Int {
        while cursor.position < end {
            // Not behind the refill: `BitReader.bitsBehindSymbol`. Corrections that end a band leave 24 bits.
            var entry = entries[unchecked: ProgressiveCode.index(bits.word)]
            bits.refill()
            if entry.isRare {
                if entry.length == 0 { entry = code.search(bits.word) }
                if entry.isEndOfBand {
                    bits.drop(entry.length)
                    return 1 &<< entry.size &+ bits.take(entry.size)
                }
                if entry.isRare { return -1 }
            }
            let sign = bits.word &<< entry.length
            bits.drop(entry.total)
            // Eight coefficients at a time, of which nearly always the first eight suffice. Behind the last
            // one there are no others, so that a run comes to an end.
            var run = entry.advance
            var step = steps[unchecked: ZeroStep.index(others &>> cursor.position, run)]
            if putsAside { changes.putAside(bits.word, step.others) }
            bits.drop(step.others)
            while !step.isLast {
                cursor.position &+= 8
                run &-= 8 &- Int(truncatingIfNeeded: step.others)
                bits.refill()
                guard cursor.position < 64 else { return -1 }
                step = steps[unchecked: ZeroStep.index(others &>> cursor.position, run)]
                if putsAside { changes.putAside(bits.word, step.others) }
                bits.drop(step.others)
            }
            cursor.position &+= step.passed
            cursor.found |= UInt64(truncatingIfNeeded: entry.size) &<< UInt64(cursor.position &- 1)
            if putsAside { changes.putAside(sign, UInt64(truncatingIfNeeded: entry.size)) }
        }
        return 0
    }

    /// Brings a block's coefficients up to date, as far as they are kept. Among the lowest are at most 24.
    @inline(always)
    private func apply(
        _ changes: Changes, _ nonzero: UInt64, _ found: UInt64, _ values: UncheckedMutable<Int16>
    ) {
        var changed = (nonzero | found) & lowest
        var word = Int(truncatingIfNeeded: changes.word)
        while changed != 0 {
            let position = changed.trailingZeroBitCount
            changed &= changed &- 1
            // All ones, or none.
            let isSet = Int16(truncatingIfNeeded: word >> 63)
            let isFound = 0 &- Int16(truncatingIfNeeded: found &>> UInt64(truncatingIfNeeded: position) & 1)
            word &<<= 1
            let offset = Int(offsets[unchecked: position])
            let place = offset == 0 ? unkept : values + offset
            let value = place[unchecked: 0]
            // Away from zero; from zero as the sign says, which is set for what is positive.
            let direction = (value >> 15) ^ (isFound & ~isSet)
            let amount = bit & (isSet | isFound)
            place[unchecked: 0] = value &+ (amount ^ direction) &- direction
        }
    }
}

/// How far a block has been read.
private struct Cursor {
    /// Before which coefficient.
    var position: Int
    /// A bit for each coefficient that has become ±1.
    var found: UInt64 = 0
}

/// A bit for each coefficient of a block that changes or may: its correction, or its sign.
private struct Changes {
    /// The lowest coefficient's is highest.
    private(set) var word: UInt64 = 0
    private var count: UInt64 = 0

    /// Appends the first 0…8 bits.
    @inline(always)
    mutating func putAside(_ bits: UInt64, _ number: UInt64) {
        word |= (bits & ~(~0 &>> number)) &>> count
        count &+= number
    }

    /// Takes the last 0…63; of these, at least the first 24 are put aside.
    @inline(always)
    mutating func takeRest(_ number: Int, from bits: inout BitReader) {
        bits.refill()
        word |= bits.word &>> count
        bits.drop(UInt64(truncatingIfNeeded: min(number, 32)))
        if number > 32 {
            bits.refill()
            bits.drop(UInt64(truncatingIfNeeded: number &- 32))
        }
    }
}

/// How far a run of zeros goes within eight coefficients.
private struct ZeroStep: BitwiseCopyable {
    private let word: UInt16

    /// - Parameters:
    ///   - others: a bit for each of the eight that the run does not count, the first lowest.
    ///   - zeros: to pass before the one that is looked for, 0…15.
    private init(others: Int, zeros: Int) {
        var left = zeros
        for place in 0..<8 where others >> place & 1 == 0 {
            if left == 0 {
                word = UInt16(place + 1) | UInt16(place - zeros) << 4 | 1 << 8
                return
            }
            left -= 1
        }
        word = 8 | UInt16(others.nonzeroBitCount) << 4
    }

    static var table: LookupTable<ZeroStep> {
        let table = LookupTable(width: 12, repeating: ZeroStep(others: 0, zeros: 0))
        for others in 0..<256 {
            for zeros in 0..<16 {
                let index = index(others, zeros)
                table.fill(index..<index + 1, with: ZeroStep(others: others, zeros: zeros))
            }
        }
        return table
    }

    /// Less than 4096.
    @inline(always)
    static func index(_ others: Int, _ zeros: Int) -> Int { (others & 255) &<< 4 | zeros & 15 }

    /// Coefficients up to the one that is looked for, itself included; 8 when it is none of these.
    @inline(always) var passed: Int { Int(truncatingIfNeeded: word & 15) }
    /// Those among them that the run does not count.
    @inline(always) var others: UInt64 { UInt64(word &>> 4 & 15) }
    @inline(always) var isLast: Bool { word & 0x100 != 0 }
}
