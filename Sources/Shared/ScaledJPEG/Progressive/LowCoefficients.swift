/// The lowest k × k coefficients of each block of a picture, as its scans have brought them so far.
struct LowCoefficients {
    /// Not yet multiplied by their quantisers. Components one after the other, each in rows of blocks as
    /// `BlockGroups` lays them out; then room for one more, for what is not kept.
    private var values: [Int16]
    /// A bit for each coefficient of a block, in zig-zag order, that is not zero: of all 64, kept or not.
    /// In the same order; empty when no scan asks.
    private var history: [UInt64]
    private let components: [Layout]

    private struct Layout {
        let groups: BlockGroups
        let rows: Int
        /// Where the component's part begins: its coefficients, and its blocks.
        let values: Int
        let blocks: Int

        var valuesEnd: Int { values + rows * groups.coefficients }
        var blocksEnd: Int { blocks + rows * groups.count * BlockGroups.size }
    }

    init(of frame: FrameHeader, eighths k: Int, remembers: Bool) {
        var components: [Layout] = []
        for component in frame.components {
            let last = components.last
            components.append(
                Layout(
                    groups: BlockGroups(blocks: component.storedColumns, eighths: k),
                    rows: component.storedRows, values: last?.valuesEnd ?? 0, blocks: last?.blocksEnd ?? 0))
        }
        self.components = components
        values = [Int16](repeating: 0, count: (components.last?.valuesEnd ?? 0) + 1)
        history = [UInt64](repeating: 0, count: remembers ? components.last?.blocksEnd ?? 0 : 0)
    }

    /// Where a row of a component's blocks is.
    func row(_ row: Int, of component: Int) -> BlockRow {
        let layout = components[component]
        precondition((0..<layout.rows).contains(row), "a row of the component")
        return BlockRow(
            groups: layout.groups, values: layout.values + row * layout.groups.coefficients,
            blocks: layout.blocks + row * layout.groups.count * BlockGroups.size)
    }

    /// The whole memory, for a loop whose bounds are proven before it.
    mutating func withMemory(
        _ body: (_ memory: CoefficientMemory) throws(Declined) -> Void
    ) throws(Declined) {
        try unsafe values.withUnsafeMutableBufferPointer { values throws(Declined) in
            try unsafe history.withUnsafeMutableBufferPointer { history throws(Declined) in
                // Never empty: there is room for one more.
                guard let first = values.baseAddress else { return }
                try unsafe body(
                    CoefficientMemory(
                        values: first, unkept: first + values.count - 1, history: history.baseAddress))
            }
        }
    }

    /// Gives back the memory that only scans need.
    mutating func forgetHistory() { history = [] }

    /// The planes that the coefficients stand for.
    func planes(
        of frame: FrameHeader, _ quantisation: [QuantisationTable], eighths k: Int, shouldStop: () -> Bool
    ) throws(Declined) -> [ScaledPlane] {
        var planes: [ScaledPlane] = []
        for (component, layout) in zip(frame.components, components) {
            let transform = ReducedTransform(eighths: k, quantisation[planes.count])
            var plane = ScaledPlane(component, of: frame, eighths: k)
            for row in 0..<layout.rows {
                if shouldStop() { throw .stopped }
                let start = layout.values + row * layout.groups.coefficients
                let coefficients = values.span.extracting(start..<start + layout.groups.coefficients)
                guard transform.transform(coefficients, into: &plane, blockRow: row) else {
                    throw .suspect(.entropy, offset: 0)
                }
            }
            planes.append(plane)
        }
        return planes
    }
}

/// Where a row of blocks is: all blocks of whole MCUs, and what rounds them up to whole groups.
struct BlockRow {
    let groups: BlockGroups
    /// Where its coefficients begin, and its blocks.
    let values: Int
    let blocks: Int

    /// Where coefficient 0 of a block is; coefficient v · k + u is that times `BlockGroups.size` behind it.
    @inline(__always)
    func value(_ block: Int) -> Int { values &+ groups.index(ofBlock: block) }
}

/// The memory of a picture's coefficients.
@unsafe struct CoefficientMemory {
    /// As `BlockRow` says.
    let values: UnsafeMutablePointer<Int16>
    /// Where coefficients go that are not kept.
    let unkept: UnsafeMutablePointer<Int16>
    /// One word a block; nil when no scan asks.
    let history: UnsafeMutablePointer<UInt64>?
}
