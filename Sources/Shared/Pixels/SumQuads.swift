/// The sums of four target rows before their columns are weighed, each sum in two halves (see `KernelSample`).
///
/// The row kernel fills them row by row. The column kernel wants them side by side: of two neighbouring columns
/// the pairs of all four rows, as one vector of higher and one of lower halves. So it adds along a row by adding
/// whole vectors, and its sums of four rows are the lanes of one. Weighed row by row, whose sums had to be added
/// across vectors, the columns took 1.4 times the instructions.
@safe struct SumQuads: ~Copyable {
    static let rowCount = 4

    /// Of each row the higher halves, then of each row the lower ones.
    private let rows: SampleMemory<Int16>
    private let quads: SampleMemory<Int16>
    private let rowLength: Int

    /// - Parameters:
    ///   - rowLength: the columns, a multiple of `columnStep`.
    ///   - margin: what the column kernel reads beyond them, where its weights are zero; an even number.
    init(rowLength: Int, margin: Int) {
        self.rowLength = rowLength
        rows = SampleMemory(count: 2 * Self.rowCount * rowLength)
        quads = SampleMemory(count: 2 * Self.rowCount * (rowLength + margin))
    }

    /// Where the row kernel puts the halves of one row, 0…3.
    func row(_ index: Int) -> (high: UnsafeMutablePointer<Int16>, low: UnsafeMutablePointer<Int16>) {
        precondition((0..<Self.rowCount).contains(index), "row \(index) of \(Self.rowCount)")
        return unsafe (rows.base + index * rowLength, rows.base + (Self.rowCount + index) * rowLength)
    }

    /// The four rows side by side: for each pair of columns eight higher halves, then eight lower ones.
    func gathered() -> UnsafePointer<Int16> {
        unsafe gatherPairs(rows.base, rowLength: rowLength, into: quads.base)
        unsafe gatherPairs(
            rows.base + Self.rowCount * rowLength, rowLength: rowLength, into: quads.base + 8)
        return unsafe UnsafePointer(quads.base)
    }

    static func allocatedBytes(rowLength: Int, margin: Int) -> Int {
        SampleMemory<Int16>.allocatedBytes(count: 2 * rowCount * rowLength)
            + SampleMemory<Int16>.allocatedBytes(count: 2 * rowCount * (rowLength + margin))
    }

    var allocatedBytes: Int { rows.allocatedBytes + quads.allocatedBytes }
}

/// Transposes four rows of pairs, four columns of pairs at a time, into every second vector.
@inline(never)
private func gatherPairs(
    _ rows: UnsafePointer<Int16>, rowLength: Int, into quads: UnsafeMutablePointer<Int16>
) {
    let source = unsafe UnsafeRawPointer(rows)
    let target = UnsafeMutableRawPointer(quads)
    var column = 0
    while column < rowLength {
        let row0 = unsafe source.loadUnaligned(fromByteOffset: 2 &* column, as: SIMD4<UInt32>.self)
        let row1 = unsafe source.loadUnaligned(
            fromByteOffset: 2 &* (column &+ rowLength), as: SIMD4<UInt32>.self)
        let row2 = unsafe source.loadUnaligned(
            fromByteOffset: 2 &* (column &+ 2 &* rowLength), as: SIMD4<UInt32>.self)
        let row3 = unsafe source.loadUnaligned(
            fromByteOffset: 2 &* (column &+ 3 &* rowLength), as: SIMD4<UInt32>.self)
        let (upper, lower) = (SIMD8(lowHalf: row0, highHalf: row1), SIMD8(lowHalf: row2, highHalf: row3))
        let even = SIMD8(lowHalf: upper.evenHalf, highHalf: lower.evenHalf)
        let odd = SIMD8(lowHalf: upper.oddHalf, highHalf: lower.oddHalf)
        unsafe target.storeBytes(of: even.evenHalf, toByteOffset: 16 &* column, as: SIMD4<UInt32>.self)
        unsafe target.storeBytes(of: odd.evenHalf, toByteOffset: 16 &* column &+ 32, as: SIMD4<UInt32>.self)
        unsafe target.storeBytes(of: even.oddHalf, toByteOffset: 16 &* column &+ 64, as: SIMD4<UInt32>.self)
        unsafe target.storeBytes(of: odd.oddHalf, toByteOffset: 16 &* column &+ 96, as: SIMD4<UInt32>.self)
        column &+= 8
    }
}
