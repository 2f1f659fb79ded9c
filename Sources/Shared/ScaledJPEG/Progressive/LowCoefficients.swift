/// The lowest k × k coefficients of each block of a picture, as its scans have brought them so far.
struct LowCoefficients {
    /// Not yet multiplied by their quantisers. Components one after the other, each in rows of blocks as
    /// `BlockGroups` lays them out; then room for one more, for what is not kept.
    private let values: ZeroedMemory<Int16>
    /// A bit for each coefficient of a block, in zig-zag order, that is not zero: of all 64, kept or not.
    /// In the same order; only of components whose scans ask.
    private var history: ZeroedMemory<UInt64>?
    private let components: [Layout]

    private struct Layout {
        let groups: BlockGroups
        let rows: Int
        /// Where the component's part begins: its coefficients, and its blocks.
        let values: Int
        let blocks: Int
        let remembers: Bool

        var valuesEnd: Int { values + rows * groups.coefficients }
        var blocksEnd: Int { blocks + (remembers ? rows * groups.count * BlockGroups.size : 0) }
    }

    init(of frame: FrameHeader, at scales: ComponentScales, remembering: Set<Int>) {
        var components: [Layout] = []
        for (index, component) in frame.components.enumerated() {
            let last = components.last
            components.append(
                Layout(
                    groups: BlockGroups(blocks: component.storedColumns, eighths: scales[index]),
                    rows: component.storedRows, values: last?.valuesEnd ?? 0, blocks: last?.blocksEnd ?? 0,
                    remembers: remembering.contains(index)))
        }
        self.components = components
        values = ZeroedMemory(count: (components.last?.valuesEnd ?? 0) + 1)
        let blocks = components.last?.blocksEnd ?? 0
        history = blocks > 0 ? ZeroedMemory(count: blocks) : nil
    }

    /// Where a row of a component's blocks is.
    func row(_ row: Int, of component: Int) -> BlockRow {
        let layout = components[component]
        precondition((0..<layout.rows).contains(row), "a row of the component")
        return BlockRow(
            groupStep: layout.groups.coefficients / layout.groups.count,
            values: layout.values + row * layout.groups.coefficients,
            blocks: layout.blocks + row * layout.groups.count * BlockGroups.size)
    }

    /// The whole memory, for a loop whose bounds are proven before it.
    mutating func withMemory(
        _ body: (_ memory: CoefficientMemory) throws(Declined) -> Void
    ) throws(Declined) {
        defer { extendLifetime(self) }
        let elements = values.elements
        // There is room for one more.
        try body(
            CoefficientMemory(
                values: elements, unkept: elements + (values.count - 1), history: history?.elements))
    }

    /// Gives back the memory that only scans need.
    mutating func forgetHistory() { history = nil }

    /// The planes that the coefficients stand for.
    ///
    /// - Parameter leftOut: as `ScanSelection` has it.
    mutating func planes(
        of frame: FrameHeader, _ quantisation: [QuantisationTable], at scales: ComponentScales,
        leftOut: [[Int]], shouldStop: () -> Bool
    ) throws(Declined) -> [ScaledPlane] {
        defer { extendLifetime(self) }
        var planes: [ScaledPlane] = []
        for (index, layout) in components.enumerated() {
            let positions = ReducedTransform.positions(eighths: scales[index])
            var table = quantisation[index]
            let missing = positions.map { leftOut[index][$0] }
            if missing.contains(where: { $0 > 0 }) {
                let divisors = positions.map { Int(table.divisors[$0]) }
                try centre(layout, divisors, missing)
                let estimate = ZeroEstimate(layout.groups, of: frame.components[index])
                let limits = zip(divisors, missing).map { (1 << $1 - 1) * $0 }
                estimate.fill(
                    values.elements + layout.values, layout.valuesEnd - layout.values, limits: limits)
                table = QuantisationTable(divisors: [UInt16](repeating: 1, count: 64))
            }
            let transform = ReducedTransform(eighths: scales[index], table)
            let plane = ScaledPlane(frame.components[index], of: frame, eighths: scales[index])
            for row in 0..<layout.rows {
                if shouldStop() { throw .stopped }
                let start = layout.values + row * layout.groups.coefficients
                let isPicture = values.withSpan(of: start..<start + layout.groups.coefficients) {
                    transform.transform($0, into: plane, blockRow: row)
                }
                guard isPicture else { throw .suspect(.entropy, offset: 0) }
            }
            planes.append(plane)
        }
        return planes
    }

    /// Multiplies a component's coefficients by their quantisers, and puts those that are not zero in the
    /// middle of what they may be without the bits that were left out.
    ///
    /// - Parameters:
    ///   - divisors: of the coefficients of a block.
    ///   - missing: bits left out of them.
    private mutating func centre(_ layout: Layout, _ divisors: [Int], _ missing: [Int]) throws(Declined) {
        let groups = layout.rows * layout.groups.count
        for (slot, divisor) in divisors.enumerated() {
            let half = ((1 << missing[slot] - 1) * divisor + 1) / 2
            // What is larger the transform would decline.
            let limit = Int16((ReducedTransform.largestCoefficient - half) / divisor)
            let start = layout.values + slot * BlockGroups.size
            let step = divisors.count * BlockGroups.size
            // The component's groups, all inside of its part.
            let isInside = centreGroups(
                values.elements + start, count: groups, step: step, Int16(truncatingIfNeeded: divisor),
                Int16(half),
                limit: limit)
            guard isInside else { throw .suspect(.entropy, offset: 0) }
        }
    }
}

/// Multiplies one coefficient of each block, and moves it away from zero unless it is zero.
///
/// - Parameters:
///   - first: the first group's; the others follow at distances of `step`.
///   - limit: the largest magnitude as coded.
/// - Returns: whether all were within the limit.
private func centreGroups(
    _ first: UncheckedMutable<Int16>, count: Int, step: Int, _ divisor: Int16, _ half: Int16, limit: Int16
) -> Bool {
    let (zero, ones) = (SIMD8<Int16>(), SIMD8<Int16>(repeating: -1))
    let (largest, half) = (SIMD8(repeating: limit), SIMD8(repeating: half))
    var outside = zero
    for group in 0..<count {
        let place = group &* step
        let coded = first.load(unchecked: place, as: SIMD8<Int16>.self)
        outside.replace(with: ones, where: coded .> largest)
        outside.replace(with: ones, where: coded .< zero &- largest)
        let sign = coded &>> 15
        let shift = half.replacing(with: zero, where: coded .== zero)
        first.store(coded &* divisor &+ (shift ^ sign) &- sign, unchecked: place)
    }
    return outside == zero
}

/// Where a row of blocks is: all blocks of whole MCUs, and what rounds them up to whole groups.
struct BlockRow {
    /// Coefficients of a group.
    let groupStep: Int
    /// Where its coefficients begin, and its blocks.
    let values: Int
    let blocks: Int

    /// Where coefficient 0 of a block is; coefficient v · k + u is that times `BlockGroups.size` behind it.
    @inline(always)
    func value(_ block: Int) -> Int {
        // As `BlockGroups.index`; an index within the memory cannot overflow.
        values &+ (block &>> 3) &* groupStep &+ block & 7
    }
}

/// The memory of a picture's coefficients.
struct CoefficientMemory {
    /// As `BlockRow` says.
    let values: UncheckedMutable<Int16>
    /// Where coefficients go that are not kept.
    let unkept: UncheckedMutable<Int16>
    /// One word a block; nil when no scan asks.
    let history: UncheckedMutable<UInt64>?
}
