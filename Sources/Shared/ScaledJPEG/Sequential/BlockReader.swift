/// Where a block of an MCU comes from and where it goes.
struct BlockSlot {
    /// Starts of its tables in `ScanTables`.
    let dc: Int
    let ac: Int
    let runs: Int
    let pairs: Int
    /// Which DC prediction.
    let component: Int
    /// Where its row of blocks begins among the coefficients.
    let row: Int
    /// Column of the first MCU's block, and columns from one MCU to the next.
    let column: Int
    let step: Int
    /// How its row of blocks lies in memory.
    let groups: BlockGroups
    /// Whether another component of the scan is kept at more.
    let isReduced: Bool
    /// The last zig-zag position that the scale needs.
    let last: UInt32
    /// Where its part of `BlockReader.offsets` begins.
    let offsets: Int

    init(
        _ tables: ScanTables.Starts, component: Int, row: Int, column: Int, step: Int, groups: BlockGroups,
        isReduced: Bool
    ) {
        (dc, ac, runs, pairs) = (tables.dc, tables.ac, tables.runs, tables.pairs)
        (self.component, self.row, self.column, self.step) = (component, row, column, step)
        (self.groups, self.isReduced) = (groups, isReduced)
        last = UInt32(ZigZag.last(eighths: groups.k))
        offsets = BlockOffsets.start(eighths: groups.k)
    }

    /// Where DC of the block of an MCU is.
    @inline(always)
    func place(inMCU mcu: Int) -> Int { row &+ groups.index(ofBlock: column &+ mcu &* step) }
}

/// Reads blocks of a sequential scan, and keeps of each what a scale of k/8 needs: DC and, for k > 1, the
/// coefficients of the k × k lowest frequencies. The rest is passed over, several symbols at a look.
///
/// Bounds: a block has at most 64 symbols, a symbol at most 31 bits; so an MCU of ten blocks takes no more
/// than `mostBytesOfMCU`. Each look advances a block's position by one at least, or ends it. Tables have an
/// entry for every index, and each escape to the second level all entries of its subtable there. A coefficient
/// is stored inside of its block at every position that its part of `offsets` is asked for: a first one of a pair
/// leads to `last` + 31 at most, which is 55.
struct BlockReader {
    let symbols: Unchecked<HuffmanLookup.Entry>
    let runs: Unchecked<RunLookup.Entry>
    /// Not looked at when only DC is kept.
    let pairs: Unchecked<PairLookup.Entry>
    /// Laid out by `BlockGroups`, zeroed.
    let coefficients: UncheckedMutable<Int16>
    /// `BlockOffsets.all`.
    let offsets: Unchecked<UInt8>
    /// One a component.
    let predictions: UncheckedMutable<Int32>

    static let mostBytesOfMCU = FrameHeader.mostBlocksPerMCU * 64 * 31 / 8
    /// What may be read behind a window: an MCU that begins at its end, the eight bytes by which the reader
    /// is ahead, and the eight that it loads.
    static let windowTail = mostBytesOfMCU + 32

    /// Reads MCUs of one row, as long as the reader is not beyond `mark` when one begins.
    ///
    /// - Parameter keepsAC: whether any block keeps more than DC.
    /// - Returns: the first MCU that was not read; nil when the bits are no MCU.
    @inline(never)
    func readMCUs(
        _ columns: Range<Int>, _ slots: Span<BlockSlot>, keepsAC: Bool, from reader: inout BitReader,
        before mark: Unchecked<UInt8>
    ) -> Int? {
        keepsAC
            ? read(columns, slots, &reader, mark, keepsAC: true)
            : read(columns, slots, &reader, mark, keepsAC: false)
    }

    @inline(always)
    private func read(
        _ columns: Range<Int>, _ slots: Span<BlockSlot>, _ outer: inout BitReader,
        _ mark: Unchecked<UInt8>, keepsAC: Bool
    ) -> Int? {
        // Copies stay in registers.
        var reader = outer
        let this = self
        defer { outer = reader }
        for column in columns {
            guard reader.isAtOrBefore(mark) else { return column }
            for number in 0..<slots.count {
                let slot = slots[number]
                guard let difference = this.readDC(symbols + slot.dc, &reader) else { return nil }
                let prediction =
                    predictions[unchecked: slot.component] &+ Int32(truncatingIfNeeded: difference)
                predictions[unchecked: slot.component] = prediction
                let place = coefficients + slot.place(inMCU: column)
                let tables = BlockTables(
                    ac: symbols + slot.ac, runs: runs + slot.runs, pairs: pairs + slot.pairs)
                let isSound =
                    keepsAC && slot.last > 0
                    ? this.readAC(tables, into: place, upTo: slot.last, offsets + slot.offsets, &reader)
                    : this.passAC(tables, after: 0, &reader)
                guard isSound else { return nil }
                // Last, since coefficients that are not kept were stored here.
                place[unchecked: 0] = Int16(truncatingIfNeeded: prediction)
            }
        }
        return columns.upperBound
    }

    @inline(always)
    private func readDC(_ table: Unchecked<HuffmanLookup.Entry>, _ reader: inout BitReader) -> Int? {
        reader.refill()
        guard let entry = symbol(table, reader) else { return nil }
        let value = reader.value(entry)
        reader.drop(UInt64(entry))
        return value
    }

    /// Reads the coefficients up to `last`, and passes over the others.
    @inline(always)
    private func readAC(
        _ tables: BlockTables, into block: UncheckedMutable<Int16>, upTo last: UInt32,
        _ offsets: Unchecked<UInt8>, _ reader: inout BitReader
    ) -> Bool {
        var position: UInt32 = 0
        while true {
            reader.refill()
            // Five times eleven bits are there.
            for _ in 0..<5 {
                let pair = tables.pairs[unchecked: reader.index]
                let first = position &+ pair >> 6 & 31
                let second = first &+ pair >> 11 & 31
                let value = Int16(truncatingIfNeeded: Int32(bitPattern: pair << 8) >> 24)
                if second <= last {
                    // The second before the first: where there is none, both have the same place.
                    block[unchecked: Int(offsets[unchecked: Int(second)])] = Int16(
                        truncatingIfNeeded: Int32(bitPattern: pair) >> 24)
                    block[unchecked: Int(offsets[unchecked: Int(first)])] = value
                    reader.drop(UInt64(pair))
                    position = second
                    continue
                }
                if first != position {
                    block[unchecked: Int(offsets[unchecked: Int(first)])] = value
                    reader.drop(UInt64(pair))
                    if pair >> 11 & 31 == PairLookup.blockEnd || pair >> 6 & 31 == PairLookup.blockEnd {
                        return true
                    }
                    return passAC(tables, after: second, &reader)
                }
                // An escape: one symbol, which may take 31 bits.
                reader.refill()
                guard let entry = symbol(tables.ac, reader) else { return false }
                position &+= entry >> 16
                if position > last {
                    reader.drop(UInt64(entry))
                    return position >= HuffmanLookup.blockEnd || passAC(tables, after: position, &reader)
                }
                block[unchecked: Int(offsets[unchecked: Int(position)])] = Int16(
                    truncatingIfNeeded: reader.value(entry))
                reader.drop(UInt64(entry))
                break
            }
        }
    }

    /// Passes over the rest of a block.
    ///
    /// - Parameter start: the last zig-zag position that was read, below 63.
    @inline(always)
    private func passAC(_ tables: BlockTables, after start: UInt32, _ reader: inout BitReader) -> Bool {
        var position = start
        while true {
            reader.refill()
            // Three times `RunLookup.mostBits` are there.
            for _ in 0..<3 {
                let run = tables.runs[unchecked: reader.index]
                let end = position &+ UInt32(run >> 6)
                guard end >= 63 else {
                    reader.drop(UInt64(run))
                    position = end
                    continue
                }
                if isBlockEnd(end) {
                    reader.drop(UInt64(run))
                    return true
                }
                // A long code, or symbols of which the last belong to the next block already: one at a time.
                reader.refill()
                guard let entry = symbol(tables.ac, reader) else { return false }
                reader.drop(UInt64(entry))
                position &+= entry >> 16
                if position >= 63 { return isBlockEnd(position) }
                break
            }
        }
    }

    /// Whether a position, 63 or more, is that of the last coefficient, or of an end before it.
    @inline(always)
    private func isBlockEnd(_ position: UInt32) -> Bool {
        position == 63 || HuffmanLookup.blockEnd - 1...HuffmanLookup.blockEnd + 62 ~= position
    }

    /// The symbol that comes next, however long its code; nil when there is none.
    @inline(always)
    private func symbol(
        _ table: Unchecked<HuffmanLookup.Entry>, _ reader: BitReader
    ) -> HuffmanLookup.Entry? {
        var entry = table[unchecked: reader.index]
        if entry >> 16 >= HuffmanLookup.escape {
            entry = table[unchecked: HuffmanLookup.longCode(entry, reader.word)]
            guard entry >> 16 < HuffmanLookup.escape else { return nil }
        }
        return entry
    }
}

/// How far behind its block's DC a coefficient is kept, by zig-zag position, for each scale.
enum BlockOffsets {
    /// As many positions as a `KnownBlockReader` may ask for.
    private static let length = KnownBlockReader.mostZigzag + 1

    /// Where those of k/8 begin.
    static func start(eighths k: Int) -> Int { (k - 1) * length }

    /// 0 for those that are not kept.
    static let all: [UInt8] = {
        var offsets = [UInt8](repeating: 0, count: 4 * length)
        for k in 1...4 {
            for (index, position) in ReducedTransform.positions(eighths: k).enumerated() {
                offsets[start(eighths: k) + position] = UInt8(index * BlockGroups.size)
            }
        }
        return offsets
    }()
}

/// The tables of a block's AC coefficients.
struct BlockTables {
    let ac: Unchecked<HuffmanLookup.Entry>
    let runs: Unchecked<RunLookup.Entry>
    let pairs: Unchecked<PairLookup.Entry>
}
