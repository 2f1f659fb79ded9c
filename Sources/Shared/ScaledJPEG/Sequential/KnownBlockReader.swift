/// Reads MCUs of which the blocks' starts are known: the same coefficients as `BlockReader`, and nothing of
/// what is beyond the last that the scale needs. But for DC, blocks do not depend on each other.
///
/// Bounds: those of `BlockReader`. A block that begins inside of the window is read on for `last` symbols of no
/// more than 31 bits. `offsets` has a place for the sum of as many advances.
@safe struct KnownBlockReader {
    let blocks: BlockReader
    /// `FieldLookup.entries`.
    let fields: UnsafePointer<FieldLookup.Entry>
    let slots: UnsafeBufferPointer<BlockSlot>
    let window: UnsafePointer<UInt8>
    /// For all blocks of a row.
    let heads: UnsafeMutablePointer<BlockHead>

    /// The largest sum of a position and its advances.
    static let mostZigzag = ZigZag.last(eighths: 4) * (1 + Int(FieldLookup.blockEnd))

    private var slotCount: Int { unsafe slots.count }

    /// - Parameter starts: a `LaneWord` of each block's start.
    func read(_ columns: Range<Int>, _ starts: UnsafePointer<UInt32>) {
        // The scale as a constant, so that where a block's coefficients are is a shift away.
        switch blocks.groups.k {
        case 1: unsafe readHeads(columns, starts, eighths: 1)
        case 2: unsafe readAll(columns, starts, eighths: 2)
        case 3: unsafe readAll(columns, starts, eighths: 3)
        default: unsafe readAll(columns, starts, eighths: 4)
        }
    }

    @inline(always)
    private func readAll(_ columns: Range<Int>, _ starts: UnsafePointer<UInt32>, eighths k: Int) {
        unsafe readHeads(columns, starts, eighths: k)
        for number in 0..<slotCount { readTails(columns, number, eighths: k) }
    }

    /// DC of all blocks, one component after the other. At 1/8 that is all.
    @inline(always)
    private func readHeads(_ columns: Range<Int>, _ starts: UnsafePointer<UInt32>, eighths k: Int) {
        var number = 0
        while number < slotCount {
            let component = unsafe slots[number].component
            let table = unsafe slots[number].dc
            var end = number + 1
            while end < slotCount, unsafe slots[end].component == component { end += 1 }
            var prediction = unsafe blocks.predictions[component]
            var first = 0
            for column in columns {
                for block in number..<end {
                    var cursor = unsafe BlockCursor(
                        position: Int(starts[first &+ block] &>> UInt32(LaneWord.positionShift)))
                    prediction &+= unsafe Int32(
                        truncatingIfNeeded: cursor.next(fields + table, blocks.symbols + table, window))
                    if k == 1 {
                        unsafe place(block, column, eighths: k).pointee = Int16(
                            truncatingIfNeeded: prediction)
                    } else {
                        // The last coefficient, from the word that ends the block; unknown is all of them.
                        let passed = unsafe starts[first &+ block &+ 1] / UInt32(LaneWord.coefficient) & 63
                        unsafe heads[first &+ block] = BlockHead(
                            end: UInt32(truncatingIfNeeded: cursor.position), dc: prediction,
                            lastZigzag: Int32(truncatingIfNeeded: min(passed &- 1, blocks.last)))
                    }
                }
                first &+= slotCount
            }
            unsafe blocks.predictions[component] = prediction
            number = end
        }
    }

    /// AC of one block of each MCU, four in turns: none waits for another's symbols, and the processor guesses
    /// wrong once for all four, when the last of them ends.
    @inline(always)
    private func readTails(_ columns: Range<Int>, _ number: Int, eighths k: Int) {
        let table = unsafe slots[number].ac
        let (fields, symbols) = unsafe (fields + table, blocks.symbols + table)
        let offsets = unsafe blocks.offsets
        let lastColumn = columns.upperBound &- 1
        for column in stride(from: columns.lowerBound, through: lastColumn, by: 4) {
            // Instead of those beyond the last, that once more.
            let others = (
                min(column &+ 1, lastColumn), min(column &+ 2, lastColumn), min(column &+ 3, lastColumn)
            )
            func head(_ column: Int) -> BlockHead {
                unsafe heads[(column &- columns.lowerBound) &* slotCount &+ number]
            }
            let known = (head(column), head(others.0), head(others.1), head(others.2))
            let places = unsafe (
                place(number, column, eighths: k), place(number, others.0, eighths: k),
                place(number, others.1, eighths: k), place(number, others.2, eighths: k)
            )
            var a = BlockCursor(position: Int(known.0.end))
            var b = BlockCursor(position: Int(known.1.end))
            var c = BlockCursor(position: Int(known.2.end))
            var d = BlockCursor(position: Int(known.3.end))
            while (a.zigzag &- known.0.lastZigzag) | (b.zigzag &- known.1.lastZigzag)
                | (c.zigzag &- known.2.lastZigzag) | (d.zigzag &- known.3.lastZigzag) < 0
            {
                unsafe a.store(fields, symbols, offsets, places.0, window)
                unsafe b.store(fields, symbols, offsets, places.1, window)
                unsafe c.store(fields, symbols, offsets, places.2, window)
                unsafe d.store(fields, symbols, offsets, places.3, window)
            }
            // Last, since coefficients that are not kept were stored here.
            unsafe places.0.pointee = Int16(truncatingIfNeeded: known.0.dc)
            unsafe places.1.pointee = Int16(truncatingIfNeeded: known.1.dc)
            unsafe places.2.pointee = Int16(truncatingIfNeeded: known.2.dc)
            unsafe places.3.pointee = Int16(truncatingIfNeeded: known.3.dc)
        }
    }

    /// Where DC of a block is.
    @inline(always)
    private func place(_ number: Int, _ column: Int, eighths k: Int) -> UnsafeMutablePointer<Int16> {
        let slot = unsafe slots[number]
        let block = slot.column &+ column &* slot.step
        return unsafe blocks.coefficients + (slot.row &+ (block &>> 3) &* (k &* k &* 8) &+ (block & 7))
    }
}

/// What is known of a block when its DC is.
struct BlockHead {
    /// Position behind DC.
    var end: UInt32 = 0
    var dc: Int32 = 0
    /// Of the last coefficient that is not zero and wanted; or beyond.
    var lastZigzag: Int32 = 0
}

/// A block on its way through its symbols.
private struct BlockCursor {
    /// In the window, in bits.
    var position: Int
    /// Of the last coefficient.
    var zigzag: Int32 = 0

    /// Reads an AC symbol; what the scale does not need goes where DC will be.
    @inline(always)
    mutating func store(
        _ fields: UnsafePointer<FieldLookup.Entry>, _ symbols: UnsafePointer<HuffmanLookup.Entry>,
        _ offsets: UnsafePointer<UInt8>, _ place: UnsafeMutablePointer<Int16>,
        _ window: UnsafePointer<UInt8>
    ) {
        let value = unsafe next(fields, symbols, window)
        unsafe place[Int(offsets[Int(zigzag)])] = Int16(truncatingIfNeeded: value)
    }

    /// Reads a symbol and its value.
    @inline(always)
    mutating func next(
        _ fields: UnsafePointer<FieldLookup.Entry>, _ symbols: UnsafePointer<HuffmanLookup.Entry>,
        _ window: UnsafePointer<UInt8>
    ) -> Int64 {
        let bytes = unsafe UnsafeRawPointer(window).loadUnaligned(
            fromByteOffset: position &>> 3, as: UInt64.self)
        let bits = bytes.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
        let index = Int(truncatingIfNeeded: bits &>> UInt64(64 - HuffmanLookup.indexBits))
        let entry = unsafe UnsafeRawPointer(fields + index)
        let total = unsafe entry.load(as: UInt8.self)
        if _slowPath(total == 0) {
            let long = unsafe symbols[HuffmanLookup.longCode(symbols[index], bits)]
            position &+= Int(long & 63)
            zigzag &+= Int32(min(long >> 16, FieldLookup.blockEnd))
            return Self.value(bits, behind: UInt8(long >> 6 & 63), shift: UInt8(63 &- long >> 12 & 15))
        }
        position &+= Int(total)
        zigzag &+= unsafe Int32(entry.load(fromByteOffset: 3, as: UInt8.self))
        return unsafe Self.value(
            bits, behind: entry.load(fromByteOffset: 1, as: UInt8.self),
            shift: entry.load(fromByteOffset: 2, as: UInt8.self))
    }

    /// As `BitReader.value`: of a negative value the bits are the complement.
    @inline(always)
    private static func value(_ bits: UInt64, behind code: UInt8, shift: UInt8) -> Int64 {
        let behind = bits &<< UInt64(code)
        let sign = ~(Int64(bitPattern: behind) &>> 63)
        let magnitude = ((behind ^ UInt64(bitPattern: sign)) &>> 1) &>> UInt64(shift)
        return (Int64(bitPattern: magnitude) ^ sign) &- sign
    }
}
