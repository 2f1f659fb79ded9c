/// Reads MCUs of which the blocks' starts are known: the same coefficients as `BlockReader`, and nothing of
/// what is beyond the last that the scale needs. But for DC, blocks do not depend on each other.
///
/// Bounds: those of `BlockReader`; a block that begins inside of the window is read on for `last` looks of no
/// more than 31 bits. `offsets` has a place for every sum of a position and an advance.
@safe struct KnownBlockReader {
    let blocks: BlockReader
    let slots: UnsafeBufferPointer<BlockSlot>
    let window: UnsafePointer<UInt8>

    private var slotCount: Int { unsafe slots.count }

    /// - Parameter starts: a `LaneWord` of each block's start.
    func read(_ columns: Range<Int>, _ starts: UnsafePointer<UInt32>) {
        // The scale as a constant, so that where a block's coefficients are is a shift away.
        switch blocks.groups.k {
        case 1: unsafe readDC(columns, starts, eighths: 1)
        case 2: unsafe readAll(columns, starts, eighths: 2)
        case 3: unsafe readAll(columns, starts, eighths: 3)
        default: unsafe readAll(columns, starts, eighths: 4)
        }
    }

    @inline(always)
    private func readAll(_ columns: Range<Int>, _ starts: UnsafePointer<UInt32>, eighths k: Int) {
        for number in 0..<slotCount { unsafe readAC(columns, number, starts + number, eighths: k) }
        // Last, since coefficients that are not kept were stored where DC is.
        unsafe readDC(columns, starts, eighths: k)
    }

    @inline(always)
    private func readDC(_ columns: Range<Int>, _ starts: UnsafePointer<UInt32>, eighths k: Int) {
        var number = 0
        while number < slotCount {
            let component = unsafe slots[number].component
            let table = unsafe blocks.symbols + slots[number].dc
            var end = number + 1
            while end < slotCount, unsafe slots[end].component == component { end += 1 }
            var prediction = unsafe blocks.predictions[component]
            var first = unsafe starts
            for column in columns {
                for block in number..<end {
                    let bits = unsafe KnownBlock.bits(at: KnownBlock.position(first[block]), window)
                    let entry = unsafe KnownBlock.entry(table, bits)
                    prediction &+= Int32(truncatingIfNeeded: KnownBlock.value(entry, bits))
                    unsafe place(block, column, eighths: k).pointee = Int16(truncatingIfNeeded: prediction)
                }
                unsafe first += slots.count
            }
            unsafe blocks.predictions[component] = prediction
            number = end
        }
    }

    /// Four blocks in turns: none waits for another's symbols, and the processor guesses wrong once for all
    /// four, when the last of them ends.
    ///
    /// - Parameter starts: of this block of each MCU.
    @inline(always)
    private func readAC(
        _ columns: Range<Int>, _ number: Int, _ starts: UnsafePointer<UInt32>, eighths k: Int
    ) {
        let slot = unsafe slots[number]
        let tables = unsafe KnownBlock.Tables(
            pairs: blocks.pairs + slot.pairs, symbols: blocks.symbols + slot.ac, offsets: blocks.offsets)
        let last = blocks.last
        func block(_ column: Int) -> KnownBlock {
            // Instead of one beyond the last, that once more.
            let column = min(column, columns.upperBound &- 1)
            let start = unsafe KnownBlock.position(starts[(column &- columns.lowerBound) &* slots.count])
            let dc = unsafe KnownBlock.entry(blocks.symbols + slot.dc, KnownBlock.bits(at: start, window))
            return unsafe KnownBlock(
                position: start &+ Int(dc & 63), coefficients: place(number, column, eighths: k))
        }
        var column = columns.lowerBound
        while column < columns.upperBound {
            var (a, b, c, d) = (block(column), block(column &+ 1), block(column &+ 2), block(column &+ 3))
            repeat {
                unsafe a.step(tables, window)
                unsafe b.step(tables, window)
                unsafe c.step(tables, window)
                unsafe d.step(tables, window)
            } while min(min(a.zigzag, b.zigzag), min(c.zigzag, d.zigzag)) < last
            column &+= 4
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

/// A block on its way through its AC coefficients.
@safe private struct KnownBlock {
    /// In the window, in bits.
    var position: Int
    /// Of the last coefficient.
    var zigzag: UInt32 = 0
    let coefficients: UnsafeMutablePointer<Int16>

    @safe struct Tables {
        let pairs: UnsafePointer<PairLookup.Entry>
        let symbols: UnsafePointer<HuffmanLookup.Entry>
        let offsets: UnsafePointer<UInt8>
    }

    /// Reads one symbol or two. Coefficients that the scale does not need go where DC will be.
    @inline(always)
    mutating func step(_ tables: Tables, _ window: UnsafePointer<UInt8>) {
        let bits = unsafe Self.bits(at: position, window)
        let pair = unsafe tables.pairs[Self.index(bits)]
        if pair & 63 != 0 {
            position &+= Int(pair & 63)
            let first = zigzag &+ pair &>> 6 & 31
            zigzag = first &+ pair &>> 11 & 31
            // The second before the first: where there is none, both have the same place.
            unsafe coefficients[Int(tables.offsets[Int(zigzag)])] = Int16(
                truncatingIfNeeded: Int32(bitPattern: pair) &>> 24)
            unsafe coefficients[Int(tables.offsets[Int(first)])] = Int16(
                Int8(truncatingIfNeeded: pair &>> 16))
        } else {
            let entry = unsafe Self.entry(tables.symbols, bits)
            position &+= Int(entry & 63)
            zigzag &+= min(entry >> 16, 63)
            let offset = unsafe tables.offsets[Int(zigzag)]
            unsafe coefficients[Int(offset)] = Int16(truncatingIfNeeded: Self.value(entry, bits))
        }
        zigzag = min(zigzag, 63)
    }

    @inline(always)
    static func index(_ bits: UInt64) -> Int {
        Int(truncatingIfNeeded: bits &>> UInt64(64 - HuffmanLookup.indexBits))
    }

    @inline(always)
    static func position(_ start: UInt32) -> Int { Int(start &>> UInt32(LaneWord.positionShift)) }

    @inline(always)
    static func bits(at position: Int, _ window: UnsafePointer<UInt8>) -> UInt64 {
        let bytes = unsafe UnsafeRawPointer(window).loadUnaligned(
            fromByteOffset: position &>> 3, as: UInt64.self)
        return bytes.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
    }

    @inline(always)
    static func entry(_ table: UnsafePointer<HuffmanLookup.Entry>, _ bits: UInt64) -> HuffmanLookup.Entry {
        let entry = unsafe table[Self.index(bits)]
        if entry >> 16 < HuffmanLookup.escape { return entry }
        return unsafe table[HuffmanLookup.longCode(entry, bits)]
    }

    /// As `BitReader.value`: of a negative value the bits are the complement.
    @inline(always)
    static func value(_ entry: HuffmanLookup.Entry, _ bits: UInt64) -> Int64 {
        let behind = bits &<< UInt64(entry &>> 6)
        let sign = ~(Int64(bitPattern: behind) &>> 63)
        let magnitude = ((behind ^ UInt64(bitPattern: sign)) &>> 1) &>> UInt64(63 &- (entry &>> 12 & 15))
        return (Int64(bitPattern: magnitude) ^ sign) &- sign
    }
}
