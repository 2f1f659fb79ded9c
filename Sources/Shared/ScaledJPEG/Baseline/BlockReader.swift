/// Where a block of an MCU comes from and where it goes.
struct BlockSlot {
    /// Starts of its tables in `ScanTables`.
    let dc: Int
    let ac: Int
    let runs: Int
    /// Which DC prediction.
    let component: Int
    /// Where its row of blocks begins among the coefficients.
    let row: Int
    /// Column of the first MCU's block, and columns from one MCU to the next.
    let column: Int
    let step: Int
}

/// Reads blocks of a sequential scan, and keeps of each what a scale of k/8 needs: DC and, for k > 1, the
/// coefficients of the k × k lowest frequencies. The rest is passed over, several symbols at a look.
///
/// Bounds: a block has at most 64 symbols, a symbol at most 31 bits; so an MCU of ten blocks takes no more
/// than `mostBytesOfMCU`. Each look advances a block's position by one at least, or ends it. Tables have an
/// entry for every index of twelve bits, and for each long code all sixteen of its subtable. A coefficient is
/// stored at positions up to `last` only, for which `offsets` has a place inside of the block.
@safe struct BlockReader {
    let symbols: UnsafePointer<HuffmanLookup.Entry>
    let runs: UnsafePointer<RunLookup.Entry>
    /// Laid out by `BlockGroups`, zeroed.
    let coefficients: UnsafeMutablePointer<Int16>
    /// How far behind DC a coefficient is, by zig-zag position; 0 for those that are not kept.
    let offsets: UnsafePointer<UInt8>
    /// One a component.
    let predictions: UnsafeMutablePointer<Int32>
    let groups: BlockGroups
    /// The last zig-zag position that is kept.
    let last: UInt32

    static let mostBytesOfMCU = FrameHeader.mostBlocksPerMCU * 64 * 31 / 8
    /// What may be read behind a window: an MCU that begins at its end, the eight bytes by which the reader
    /// is ahead, and the eight that it loads.
    static let windowTail = mostBytesOfMCU + 32

    /// Reads MCUs of one row, as long as the reader is not beyond `mark` when one begins.
    ///
    /// - Returns: the first MCU that was not read; nil when the bits are no MCU.
    @inline(never)
    func readMCUs(
        _ columns: Range<Int>, _ slots: UnsafeBufferPointer<BlockSlot>, from reader: inout BitReader,
        before mark: UnsafePointer<UInt8>
    ) -> Int? {
        unsafe last == 0
            ? read(columns, slots, &reader, mark, keepsAC: false)
            : read(columns, slots, &reader, mark, keepsAC: true)
    }

    @inline(__always)
    private func read(
        _ columns: Range<Int>, _ slots: UnsafeBufferPointer<BlockSlot>, _ outer: inout BitReader,
        _ mark: UnsafePointer<UInt8>, keepsAC: Bool
    ) -> Int? {
        // A copy stays in registers.
        var reader = outer
        defer { outer = reader }
        for column in columns {
            guard unsafe reader.isAtOrBefore(mark) else { return column }
            for number in 0..<slots.count {
                let slot = unsafe slots[number]
                let block = slot.column &+ column &* slot.step
                let place = unsafe coefficients + slot.row + groups.index(ofBlock: block)
                guard let difference = unsafe readDC(symbols + slot.dc, &reader) else { return nil }
                let prediction = unsafe predictions[slot.component] &+ Int32(truncatingIfNeeded: difference)
                unsafe predictions[slot.component] = prediction
                let (ac, runs) = unsafe (symbols + slot.ac, runs + slot.runs)
                guard
                    unsafe keepsAC
                        ? readAC(ac, runs, into: place, &reader) : passAC(ac, runs, after: 0, &reader)
                else { return nil }
                // Last, since coefficients that are not kept were stored here.
                unsafe place.pointee = Int16(truncatingIfNeeded: prediction)
            }
        }
        return columns.upperBound
    }

    @inline(__always)
    private func readDC(_ table: UnsafePointer<HuffmanLookup.Entry>, _ reader: inout BitReader) -> Int? {
        reader.refill()
        var entry = unsafe table[Int(reader.word >> 52)]
        if entry >> 16 >= HuffmanLookup.escape {
            entry = unsafe longCode(table, entry, reader)
            guard entry >> 16 < HuffmanLookup.escape else { return nil }
        }
        let value = reader.value(entry)
        reader.drop(UInt64(entry))
        return value
    }

    /// Reads the coefficients up to `last`, and passes over the others.
    @inline(__always)
    private func readAC(
        _ table: UnsafePointer<HuffmanLookup.Entry>, _ runs: UnsafePointer<RunLookup.Entry>,
        into block: UnsafeMutablePointer<Int16>, _ reader: inout BitReader
    ) -> Bool {
        var position: UInt32 = 0
        while true {
            reader.refill()
            var entry = unsafe table[Int(reader.word >> 52)]
            if entry >> 16 >= HuffmanLookup.escape {
                entry = unsafe longCode(table, entry, reader)
                guard entry >> 16 < HuffmanLookup.escape else { return false }
            }
            position &+= entry >> 16
            guard position <= last else {
                reader.drop(UInt64(entry))
                if position >= 63 { return position == 63 || position >= HuffmanLookup.blockEnd }
                return unsafe passAC(table, runs, after: position, &reader)
            }
            unsafe block[Int(offsets[Int(position)])] = Int16(truncatingIfNeeded: reader.value(entry))
            reader.drop(UInt64(entry))
        }
    }

    /// Passes over the rest of a block.
    ///
    /// - Parameter start: the last zig-zag position that was read, below 63.
    @inline(__always)
    private func passAC(
        _ table: UnsafePointer<HuffmanLookup.Entry>, _ runs: UnsafePointer<RunLookup.Entry>,
        after start: UInt32, _ reader: inout BitReader
    ) -> Bool {
        var position = start
        while true {
            reader.refill()
            var run = unsafe runs[Int(reader.word >> 52)]
            var end = position &+ UInt32(run >> 6)
            if end < 63 {
                // Twice 27 bits are there.
                reader.drop(UInt64(run))
                position = end
                run = unsafe runs[Int(reader.word >> 52)]
                end = position &+ UInt32(run >> 6)
                if end < 63 {
                    reader.drop(UInt64(run))
                    position = end
                    continue
                }
            }
            if end == 63 || 256...256 + 63 ~= end {
                reader.drop(UInt64(run))
                return true
            }
            // A long code, or symbols that belong to the next block already: one at a time.
            reader.refill()
            var entry = unsafe table[Int(reader.word >> 52)]
            if entry >> 16 >= HuffmanLookup.escape {
                entry = unsafe longCode(table, entry, reader)
                guard entry >> 16 < HuffmanLookup.escape else { return false }
            }
            reader.drop(UInt64(entry))
            position &+= entry >> 16
            if position >= 63 { return position == 63 || 256...256 + 63 ~= position }
        }
    }

    /// The entry of a code that is longer than the tables' index; an escape again when there is none.
    @inline(__always)
    private func longCode(
        _ table: UnsafePointer<HuffmanLookup.Entry>, _ entry: HuffmanLookup.Entry, _ reader: BitReader
    ) -> HuffmanLookup.Entry {
        unsafe table[1 << 12 + Int(entry & 0xFFFF) << 4 + Int(reader.word >> 48) & 15]
    }
}
