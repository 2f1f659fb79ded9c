/// Reads MCUs of which the blocks' starts are known: the same coefficients as `BlockReader`, and nothing of
/// what is beyond the last that the scale needs.
///
/// But for DC, blocks do not depend on each other. Four of one component are read in turns, so that none waits
/// for another's symbols, and two symbols for one load of bits. What costs most then is a wrong guess of the
/// processor. At 1/4 there is nothing to guess: four symbols are read of every block, also of those that end
/// before, which takes 0.7 of the time of a loop that ends with the last of four blocks, or 12 % of a
/// photograph's. Chroma of luma's size is the exception, since most of its blocks end at once. At 3/8, where a block
/// has up to twelve, the loop is faster than 3, 6 or 10 symbols at least.
/// Tried as well and no faster: one block or two at a time, values made of their bits eight at a time.
///
/// Bounds: those of `BlockReader`. A block that begins inside of the window is read on for DC and `last` + 1 symbols of
/// no more than 31 bits. `BlockOffsets` have a place for the sum of as many advances.
struct KnownBlockReader {
    let blocks: BlockReader
    /// `FieldLookup.entries`.
    let fields: Unchecked<FieldLookup.Entry>
    /// A `LaneWord` of each block's start.
    let starts: Unchecked<UInt32>
    let window: Unchecked<UInt8>

    /// The largest sum of advances.
    static let mostZigzag = (ZigZag.last(eighths: 4) + 1) * Int(FieldLookup.blockEnd)

    /// Reads blocks of one component.
    ///
    /// - Parameters:
    ///   - places: of the blocks, in the order of their bits.
    ///   - first: number of the block that `starts` begins with.
    ///   - slot: one of the component's.
    func read(_ places: Unchecked<BlockPlace>, _ count: Int, from first: UInt32, _ slot: BlockSlot) {
        // The scale as a constant, so that each has a loop of its own.
        switch slot.groups.k {
        case 1: read(places, count, first, slot, last: 0, guesses: false)
        case 2 where slot.isReduced: read(places, count, first, slot, last: 4, guesses: true)
        case 2: read(places, count, first, slot, last: 4, guesses: false)
        case 3: read(places, count, first, slot, last: 12, guesses: true)
        default: read(places, count, first, slot, last: 24, guesses: true)
        }
    }

    /// - Parameters:
    ///   - last: the last zig-zag position that the scale needs.
    ///   - guesses: whether it is looked where the blocks end; else as many symbols are read as there may be.
    @inline(always)
    private func read(
        _ all: Unchecked<BlockPlace>, _ count: Int, _ first: UInt32, _ slot: BlockSlot, last: Int32,
        guesses: Bool
    ) {
        let dc = BlockTable(fields: fields + slot.dc, symbols: blocks.symbols + slot.dc)
        let ac = BlockTable(fields: fields + slot.ac, symbols: blocks.symbols + slot.ac)
        let offsets = blocks.offsets + slot.offsets
        var prediction = blocks.predictions[unchecked: slot.component]
        defer { blocks.predictions[unchecked: slot.component] = prediction }
        for index in stride(from: 0, to: count, by: 4) {
            // Instead of those beyond the last, that once more: it comes to the same values.
            let end = count &- 1
            let places = (
                all[unchecked: index], all[unchecked: min(index &+ 1, end)],
                all[unchecked: min(index &+ 2, end)], all[unchecked: min(index &+ 3, end)]
            )
            var a = BlockCursor(starts[unchecked: Int(places.0.number &- first)], window)
            var b = BlockCursor(starts[unchecked: Int(places.1.number &- first)], window)
            var c = BlockCursor(starts[unchecked: Int(places.2.number &- first)], window)
            var d = BlockCursor(starts[unchecked: Int(places.3.number &- first)], window)
            let differences = (
                a.difference(dc, window), b.difference(dc, window), c.difference(dc, window),
                d.difference(dc, window)
            )
            let to = (
                blocks.coefficients + Int(places.0.index), blocks.coefficients + Int(places.1.index),
                blocks.coefficients + Int(places.2.index), blocks.coefficients + Int(places.3.index)
            )
            if last > 0 {
                a.store(ac, offsets, to.0, window)
                b.store(ac, offsets, to.1, window)
                c.store(ac, offsets, to.2, window)
                d.store(ac, offsets, to.3, window)
            }
            if last > 0, !guesses {
                a.storeTwo(ac, offsets, to.0, window)
                b.storeTwo(ac, offsets, to.1, window)
                c.storeTwo(ac, offsets, to.2, window)
                d.storeTwo(ac, offsets, to.3, window)
                a.storeOne(ac, offsets, to.0, window)
                b.storeOne(ac, offsets, to.1, window)
                c.storeOne(ac, offsets, to.2, window)
                d.storeOne(ac, offsets, to.3, window)
            } else if last > 0 {
                while (a.zigzag &- last) | (b.zigzag &- last) | (c.zigzag &- last) | (d.zigzag &- last) < 0 {
                    a.storeTwo(ac, offsets, to.0, window)
                    b.storeTwo(ac, offsets, to.1, window)
                    c.storeTwo(ac, offsets, to.2, window)
                    d.storeTwo(ac, offsets, to.3, window)
                }
            }
            // Last, since coefficients that are not kept were stored here; those beyond the end first of all.
            let sums = (
                prediction &+ differences.0, prediction &+ differences.0 &+ differences.1,
                prediction &+ differences.0 &+ differences.1 &+ differences.2,
                prediction &+ differences.0 &+ differences.1 &+ differences.2 &+ differences.3
            )
            to.3[unchecked: 0] = Int16(truncatingIfNeeded: sums.3)
            to.2[unchecked: 0] = Int16(truncatingIfNeeded: sums.2)
            to.1[unchecked: 0] = Int16(truncatingIfNeeded: sums.1)
            to.0[unchecked: 0] = Int16(truncatingIfNeeded: sums.0)
            prediction =
                switch end &- index {
                case 0: sums.0
                case 1: sums.1
                case 2: sums.2
                default: sums.3
                }
        }
    }
}

/// Where a block of a row of MCUs comes from and where it goes.
struct BlockPlace {
    /// In the row, counted in the order of the bits.
    let number: UInt32
    /// Of its DC among the row's coefficients.
    let index: UInt32
}

/// One Huffman table, twice.
private struct BlockTable {
    let fields: Unchecked<FieldLookup.Entry>
    let symbols: Unchecked<HuffmanLookup.Entry>

    /// The fields of a symbol whose code is longer than the index.
    @inline(never)
    func longSymbol(_ index: Int, _ bits: UInt64) -> FieldLookup.Entry {
        FieldLookup.entry(symbols[unchecked: HuffmanLookup.longCode(symbols[unchecked: index], bits)])
    }
}

/// A block on its way through its symbols.
private struct BlockCursor {
    /// In the window, in bits.
    private var position: Int
    /// Those that come next, at the top; lowest are those that were passed.
    private var bits: UInt64 = 0
    /// Of the last coefficient.
    private(set) var zigzag: Int32 = 0

    /// - Parameter word: a `LaneWord`.
    @inline(always)
    init(_ word: UInt32, _ window: Unchecked<UInt8>) {
        position = Int(word &>> UInt32(LaneWord.positionShift))
        load(window)
    }

    /// 57 bits: enough for a symbol of `HuffmanLookup.indexBits` and 15 bits of a value, and one of 31.
    @inline(always)
    private mutating func load(_ window: Unchecked<UInt8>) {
        let bytes = window.load(unchecked: position &>> 3, as: UInt64.self)
        bits = bytes.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
    }

    /// Reads a DC symbol and its value. There must be bits for it.
    @inline(always)
    mutating func difference(_ table: BlockTable, _ window: Unchecked<UInt8>) -> Int32 {
        defer { zigzag = 0 }
        return pass(table, window)
    }

    /// Reads AC symbols; what the scale does not need goes where DC will be.
    @inline(always)
    mutating func storeTwo(
        _ table: BlockTable, _ offsets: Unchecked<UInt8>, _ place: UncheckedMutable<Int16>,
        _ window: Unchecked<UInt8>
    ) {
        storeOne(table, offsets, place, window)
        store(table, offsets, place, window)
    }

    @inline(always)
    mutating func storeOne(
        _ table: BlockTable, _ offsets: Unchecked<UInt8>, _ place: UncheckedMutable<Int16>,
        _ window: Unchecked<UInt8>
    ) {
        load(window)
        store(table, offsets, place, window)
    }

    /// There must be bits for it.
    @inline(always)
    mutating func store(
        _ table: BlockTable, _ offsets: Unchecked<UInt8>, _ place: UncheckedMutable<Int16>,
        _ window: Unchecked<UInt8>
    ) {
        let value = pass(table, window)
        place[unchecked: Int(offsets[unchecked: Int(zigzag)])] = Int16(truncatingIfNeeded: value)
    }

    /// Passes a symbol.
    ///
    /// - Returns: its value; 0 when it has none.
    @inline(always)
    private mutating func pass(_ table: BlockTable, _ window: Unchecked<UInt8>) -> Int32 {
        let index = Int(truncatingIfNeeded: bits &>> UInt64(64 - HuffmanLookup.indexBits))
        var total = UInt64(table.fields.load(unchecked: index, as: UInt8.self))
        var advance = Int32(table.fields.load(unchecked: index, byte: 1, as: UInt8.self))
        var mask = Int32(table.fields.load(unchecked: index, byte: 2, as: UInt16.self))
        if _slowPath(total == 0) {
            load(window)
            let long = table.longSymbol(index, bits)
            total = UInt64(long & 0xFF)
            advance = Int32(long >> 8 & 0xFF)
            mask = Int32(long >> 16)
        }
        position &+= Int(total)
        zigzag &+= advance
        // The bits that were passed become the lowest.
        bits = bits &<< total | bits &>> (0 &- total)
        // As `BitReader.value`: where the highest bit is 0, the value is negative, and less by the mask.
        let value = Int32(truncatingIfNeeded: bits) & mask
        return value &- mask & (value &+ value &- mask &- 1) &>> 31
    }
}
