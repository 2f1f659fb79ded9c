/// A scan that brings a band of one component's AC coefficients for the first time.
struct ACFirstScan: ScanLoop {
    private let component: Int
    private let code: ProgressiveCode
    private let kept: KeptCoefficients
    private let firstCoefficient: Int
    private let lastCoefficient: Int
    private let lowBit: Int
    private let recordsHistory: Bool
    /// Blocks from here on whose band is zero.
    private var emptyBlocks = 0

    init(_ scan: ProgressiveScan, kept: KeptCoefficients, recordsHistory: Bool) {
        let header = scan.header
        component = header.components[0].index
        firstCoefficient = header.firstCoefficient
        lastCoefficient = header.lastCoefficient
        lowBit = header.lowBit
        self.kept = kept
        self.recordsHistory = recordsHistory
        code = ProgressiveCode(scan.codes[0]) { symbol, length in
            let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
            if size == 0, run < 15 { return CodeEntry(endOfBand: run, length: length) }
            // A value of more than 16 bits is an error.
            guard size > 0, size + header.lowBit <= 15 else { return CodeEntry(rare: symbol, length: length) }
            return CodeEntry(length: length, size: size, advance: run + 1)
        }
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let row = coefficients.row(run.row, of: component)
        let end = run.column + run.count
        try unsafe coefficients.withMemory { memory throws(Declined) in
            let loop = unsafe ACFirstLoop(
                code: code, entries: code.entries, offsets: kept.offsets.elements, unkept: memory.unkept,
                firstCoefficient: firstCoefficient, lastCoefficient: lastCoefficient,
                lastKept: 63 - kept.lowest.leadingZeroBitCount, lowBit: lowBit)
            var bits = reader
            var column = run.column + emptyBlocks
            // The run's blocks are among those that are stored.
            while column < end {
                if !window.suffices(bits) { try window.advance(&bits, in: bytes) }
                let values = unsafe memory.values + row.value(column)
                let block = unsafe loop.readBlock(values, &bits)
                guard let block else { throw .suspect(.entropy, offset: window.position) }
                if recordsHistory, let history = unsafe memory.history {
                    unsafe history[row.blocks + column] |= block.found
                }
                column += max(1, block.endedBlocks)
            }
            emptyBlocks = column - end
            reader = bits
        }
    }

    mutating func endInterval(at offset: Int) throws(Declined) {
        guard emptyBlocks == 0 else { throw .suspect(.entropy, offset: offset) }
    }
}

/// What reading a block needs, for a loop to keep in registers.
@safe private struct ACFirstLoop {
    let code: ProgressiveCode
    let entries: UnsafePointer<CodeEntry>
    let offsets: UnsafePointer<UInt8>
    let unkept: UnsafeMutablePointer<Int16>
    let firstCoefficient: Int
    let lastCoefficient: Int
    let lastKept: Int
    let lowBit: Int

    /// Reads a block's band.
    ///
    /// - Returns: a bit for each coefficient that is not zero, and how many blocks from this one on have no
    ///   more, 0 when the band was read to its last coefficient; nil when the bits are no band.
    @inline(always)
    func readBlock(
        _ values: UnsafeMutablePointer<Int16>, _ bits: inout BitReader
    ) -> (found: UInt64, endedBlocks: Int)? {
        var found: UInt64 = 0
        // Before which coefficient.
        var position = firstCoefficient
        // Two loops, since most symbols stand for nothing that is kept.
        var blocks = unsafe readSymbols(
            through: min(lastCoefficient, lastKept), &position, &found, values, &bits, keeps: true)
        if blocks == 0 {
            blocks = unsafe readSymbols(
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
        _ values: UnsafeMutablePointer<Int16>, _ bits: inout BitReader, keeps: Bool
    ) -> Int {
        while position <= last {
            bits.refill()
            var entry = unsafe entries[ProgressiveCode.index(bits.word)]
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
                let value = entry.value(bits.word) &<< lowBit
                // At most 16 behind the band, which is an error, and not kept.
                let offset = unsafe Int(offsets[position &- 1])
                let place = unsafe offset == 0 ? unkept : values + offset
                unsafe place.pointee = Int16(truncatingIfNeeded: value)
            }
            bits.drop(entry.total)
        }
        return 0
    }
}
