/// Reads MCUs whose blocks were found ahead, by lanes, and proven.
///
/// A class, so that it can change while the scan that owns it lends out its memory.
final class KnownBlocks {
    private var lookahead: LaneLookahead
    private let fields: [FieldLookup.Entry]
    private let components: [Component]
    private let blocksOfMCU: Int
    /// MCUs that were read.
    private(set) var unitsRead = 0

    /// Blocks whose DC is told as differences of each other.
    private struct Component {
        let slot: BlockSlot
        let blocksOfMCU: Int
        /// Blocks of a row of MCUs, in the order of their bits.
        let places: [BlockPlace]
    }

    /// - Parameter layout: of the scan.
    init(
        _ plan: LanePlan, _ tables: ScanTables, _ slots: [BlockSlot], _ layout: ScanLayout,
        windowCapacity: Int
    ) {
        lookahead = LaneLookahead(plan, tables, slots, windowCapacity: windowCapacity)
        fields = FieldLookup(tables.symbols).entries
        components = layout.components.indices.compactMap { component in
            let own = slots.indices.filter { slots[$0].component == component }
            guard let first = own.first else { return nil }
            let places = (0..<layout.columns).flatMap { column in
                own.map { number in
                    BlockPlace(
                        number: UInt32(column * slots.count + number),
                        index: UInt32(slots[number].place(inMCU: column)))
                }
            }
            return Component(slot: slots[first], blocksOfMCU: own.count, places: places)
        }
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
        _ columns: Range<Int>, _ starts: Range<Int>, _ blocks: BlockReader, _ window: Unchecked<UInt8>
    ) -> Int {
        let words = lookahead.words
        precondition(starts.count == columns.count * blocksOfMCU + 1 && starts.upperBound <= words.count)
        let first = UInt32(columns.lowerBound * blocksOfMCU)
        fields.withUnchecked { fields in
            let reader = KnownBlockReader(
                blocks: blocks, fields: fields, starts: words.elements.reading + starts.lowerBound,
                window: window)
            for component in components {
                let count = component.blocksOfMCU
                component.places.withUnchecked { places in
                    reader.read(
                        places + columns.lowerBound * count, columns.count * count, from: first,
                        component.slot)
                }
            }
        }
        unitsRead += columns.count
        return words.position(starts.upperBound - 1)
    }
}
