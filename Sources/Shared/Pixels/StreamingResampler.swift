/// Rows in, a plane out: the resampler of both sample types. See `PlaneResampler`.
///
/// Rows are kept in pairs, two samples of a column side by side, which is how the row kernel weighs
/// them; a target row is made when the last pair under it is complete.
struct StreamingResampler<Sample: KernelSample>: ~Copyable {
    private let filter: PlaneFilter
    private let layout: Layout
    private var output: SamplePlane<Sample>
    private(set) var rowsReceived = 0
    private var rowsMade = 0
    /// The even row that waits for its odd neighbour.
    private let waiting: SampleMemory<Sample>
    private let ring: SampleMemory<Sample>
    private let sums: SumQuads
    /// The weights of one target row's pairs, each pair four times over.
    private let pairWeights: SampleMemory<Int16>

    init(_ filter: PlaneFilter) {
        self.filter = filter
        layout = Layout(horizontal: filter.horizontal.axis, vertical: filter.vertical.axis)
        output = SamplePlane(width: layout.width, height: layout.height)
        waiting = SampleMemory(count: layout.waiting)
        ring = SampleMemory(count: layout.ring)
        sums = SumQuads(rowLength: layout.rowLength, margin: layout.margin)
        pairWeights = SampleMemory(count: layout.pairWeights)
    }

    var rowsExpected: Int { filter.vertical.axis.sourceCount }

    /// Rows beyond `rowsExpected` are padding, and left out.
    mutating func push(_ row: Span<Sample>) {
        let columns = filter.horizontal.axis.sourceCount
        precondition(row.count >= columns, "a row of \(row.count) samples, \(columns) needed")
        guard rowsReceived < rowsExpected else { return }
        unsafe row.withUnsafeBufferPointer { unsafe push($0.baseAddress!) }
    }

    /// - Precondition: every expected row was pushed.
    consuming func finish() -> SamplePlane<Sample> {
        precondition(rowsReceived == rowsExpected, "\(rowsReceived) of \(rowsExpected) rows")
        return output
    }

    /// Fills in the rows that never came. Without any row to repeat, `repeatLast` is grey, too.
    consuming func finish(filling missing: MissingRows) -> SamplePlane<Sample> {
        guard rowsReceived < rowsExpected else { return output }
        let columns = filter.horizontal.axis.sourceCount
        let filler = SampleMemory<Sample>(count: columns)
        if missing == .repeatLast, rowsReceived > 0 {
            unsafe copyLastRow(to: filler.base, columns: columns)
        } else {
            unsafe filler.base.update(repeating: Sample.midGrey, count: columns)
        }
        while rowsReceived < rowsExpected { unsafe push(filler.base) }
        return output
    }

    private mutating func push(_ row: UnsafePointer<Sample>) {
        let columns = filter.horizontal.axis.sourceCount
        let pair = rowsReceived / 2
        let isEven = rowsReceived % 2 == 0
        rowsReceived += 1
        let isLast = rowsReceived == rowsExpected
        if isEven, !isLast {
            unsafe waiting.base.update(from: row, count: columns)
            return
        }
        // The last of an odd number of rows is its own partner, which has no weight.
        let even = unsafe isEven ? row : UnsafePointer(waiting.base)
        let slot = pair % layout.capacity
        unsafe Sample.interleave(even, row, count: columns, into: ring.base + slot * layout.pairStride)
        makeRows(upToPair: pair)
    }

    /// Makes every target row whose support ends with this pair or before.
    private mutating func makeRows(upToPair pair: Int) {
        let vertical = filter.vertical
        while rowsMade < vertical.axis.targetCount {
            let firstPair = Int(vertical.starts[rowsMade]) / 2
            let pairCount = min(vertical.stride / 2, (rowsExpected + 1) / 2 - firstPair)
            guard firstPair + pairCount - 1 <= pair else { return }
            spreadWeights(pairCount: pairCount)
            let window = unsafe RowWindow(
                ring: UnsafePointer(ring.base), pairStride: layout.pairStride, capacity: layout.capacity,
                firstSlot: firstPair % layout.capacity, pairCount: pairCount,
                weights: UnsafePointer(pairWeights.base))
            let row = unsafe sums.row(rowsMade % SumQuads.rowCount)
            unsafe Sample.weighRows(window, high: row.high, low: row.low)
            rowsMade += 1
            if rowsMade % SumQuads.rowCount == 0 || rowsMade == vertical.axis.targetCount { makeColumns() }
        }
    }

    /// Makes the samples of the last target rows, up to four, of their sums.
    private mutating func makeColumns() {
        let first = (rowsMade - 1) / SumQuads.rowCount * SumQuads.rowCount
        let rows = unsafe TargetRows(
            base: output.rowPointer(first), width: layout.width, count: rowsMade - first)
        unsafe Sample.weighColumns(filter.horizontal, sums.gathered(), into: rows)
    }

    private func spreadWeights(pairCount: Int) {
        let offset = rowsMade * filter.vertical.stride
        for pair in 0..<pairCount {
            let even = filter.vertical.weights[offset + 2 * pair]
            let odd = filter.vertical.weights[offset + 2 * pair + 1]
            let spread = SIMD8(even, odd, even, odd, even, odd, even, odd)
            unsafe UnsafeMutableRawPointer(pairWeights.base + 8 * pair).storeBytes(
                of: spread, as: SIMD8<Int16>.self)
        }
    }

    private func copyLastRow(to row: UnsafeMutablePointer<Sample>, columns: Int) {
        if rowsReceived % 2 == 1, rowsReceived < rowsExpected {
            unsafe row.update(from: waiting.base, count: columns)
            return
        }
        let slot = (rowsReceived - 1) / 2 % layout.capacity
        let pairs = unsafe ring.base + slot * layout.pairStride
        for column in 0..<columns { unsafe row[column] = Sample.stored(pairs[2 * column + 1]) }
    }

    /// The bytes that one resampler takes from the process, its output included; an upper bound.
    static func peakBytes(horizontal: Axis, vertical: Axis) -> Int {
        Layout(horizontal: horizontal, vertical: vertical).allocatedBytes
    }

    /// The bytes that this one takes.
    var allocatedBytes: Int {
        output.allocatedBytes + waiting.allocatedBytes + ring.allocatedBytes + sums.allocatedBytes
            + pairWeights.allocatedBytes
    }

    /// How much of everything there is.
    private struct Layout {
        let width: Int
        let height: Int
        /// Row pairs in the ring: at most ⌈6 · ratio⌉ + 2 rows.
        let capacity: Int
        let rowLength: Int
        let waiting: Int
        /// What the column kernel reads beyond the last sum, where its weights are zero.
        let margin: Int
        let pairWeights: Int

        init(horizontal: Axis, vertical: Axis) {
            width = horizontal.targetCount
            height = vertical.targetCount
            capacity = FilterWeights.stride(vertical) / 2
            rowLength = SampleMemoryLimits.roundedUp(horizontal.sourceCount, to: columnStep)
            waiting = horizontal.sourceCount
            margin = FilterWeights.stride(horizontal)
            pairWeights = 8 * capacity
        }

        var pairStride: Int { 2 * rowLength }
        var ring: Int { capacity * pairStride }

        var allocatedBytes: Int {
            SamplePlane<Sample>.allocatedBytes(width: width, height: height)
                + SampleMemory<Sample>.allocatedBytes(count: waiting)
                + SampleMemory<Sample>.allocatedBytes(count: ring)
                + SumQuads.allocatedBytes(rowLength: rowLength, margin: margin)
                + SampleMemory<Int16>.allocatedBytes(count: pairWeights)
        }
    }
}
