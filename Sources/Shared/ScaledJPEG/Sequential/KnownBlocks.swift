/// Reads MCUs whose blocks were found ahead, by lanes, and proven.
///
/// A class, so that it can change while the scan that owns it lends out its memory.
final class KnownBlocks {
    private var lookahead: LaneLookahead
    private let fields: [FieldLookup.Entry]
    /// One a block of a row of MCUs.
    private var heads: [BlockHead]
    private let blocksOfMCU: Int
    /// MCUs that were read.
    private(set) var unitsRead = 0

    /// - Parameter columns: MCUs in a row.
    init(_ plan: LanePlan, _ tables: ScanTables, _ slots: [BlockSlot], columns: Int, windowCapacity: Int) {
        lookahead = LaneLookahead(plan, tables, slots, windowCapacity: windowCapacity)
        fields = FieldLookup(tables.symbols).entries
        heads = [BlockHead](repeating: BlockHead(), count: columns * slots.count)
        blocksOfMCU = slots.count
    }

    /// Whether nothing is to be expected any more.
    var isHopeless: Bool { lookahead.isHopeless }

    /// The window moves: all positions are others.
    func forget() { lookahead.forget() }

    /// Starts of blocks, as `LaneLookahead.take` has them.
    func take(at position: Int, most: Int, of window: EntropyWindow) -> Range<Int>? {
        lookahead.take(at: position, most: most, of: window)
    }

    /// Reads MCUs of one row.
    ///
    /// - Parameter starts: what `take` returned for them.
    /// - Returns: position behind them.
    func read(
        _ columns: Range<Int>, _ starts: Range<Int>, _ blocks: BlockReader,
        _ slots: UnsafeBufferPointer<BlockSlot>, _ window: UnsafePointer<UInt8>
    ) -> Int {
        let words = lookahead.words
        precondition(slots.count == blocksOfMCU && columns.count * blocksOfMCU <= heads.count)
        precondition(starts.count == columns.count * blocksOfMCU + 1 && starts.upperBound <= words.count)
        unsafe fields.withUnsafeBufferPointer { fields in
            unsafe heads.withUnsafeMutableBufferPointer { heads in
                guard let fields = fields.baseAddress, let heads = heads.baseAddress else { return }
                unsafe KnownBlockReader(
                    blocks: blocks, fields: fields, slots: slots, window: window, heads: heads
                ).read(columns, words.base + starts.lowerBound)
            }
        }
        unitsRead += columns.count
        return words.position(starts.upperBound - 1)
    }
}
