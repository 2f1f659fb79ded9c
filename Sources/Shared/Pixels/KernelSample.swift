/// A sample that the resampler's inner loops are written for: 8 or 16 bits. The loops are in
/// `ResamplerKernels`, the argument why they are exact is here.
///
/// A target sample is `round(Σy Σx wy · wx · p)`: the rows are weighed first, then the columns, and
/// nothing is rounded between. The result does not depend on the order of the passes, so that a
/// transposed picture gives the transposed result bit for bit.
///
/// Why it fits, with Σ|w| ≤ 2¹⁵ (`FilterWeights.absoluteSumBound`) and weights of 14 bits:
///
///     8 bits   rows     v = Σ wy · p                |v| ≤ 2¹⁵ · 255 < 2²³
///              split    v = 256 · high + low        |high| < 2¹⁵, 0 ≤ low < 2⁸: both are Int16
///              columns  H = Σ wx · high             |H| ≤ 2¹⁵ · 32,640 < 2³⁰
///                       L = Σ wx · low              |L| ≤ 2¹⁵ · 255 < 2²³
///              result   (256 · H + L + 2²⁷) >> 28 = (H + ((L + 2²⁷) >> 8)) >> 20, all in Int32
///     16 bits  rows     v = Σ wy · (p − 2¹⁵)        |v| ≤ 2³⁰
///              split    v = 2¹⁶ · high + low + 2¹⁵  |high| ≤ 2¹⁴, |low| ≤ 2¹⁵: both are Int16
///              columns  H = Σ wx · high             |H| ≤ 2²⁹
///                       L = Σ wx · low              |L| ≤ 2³⁰
///              result   Σ wx · wy · p = 2¹⁶ · H + L + 2²⁹ + 2⁴³, since each table sums to 2¹⁴:
///                       (H + ((L + 2²⁹ + 2²⁷) >> 16) + 2²⁷) >> 12, all in Int32
///
/// A partial sum obeys the bound of its whole. `>>` rounds down, so adding one half first rounds half up.
protocol KernelSample: FixedWidthInteger, UnsignedInteger, BitwiseCopyable, SIMDScalar, Codable {
    /// What a row that never came is filled with: the middle of the eye's scale.
    static var midGrey: Self { get }

    /// Writes two rows as pairs: even, odd, even, odd, each as the row kernel wants it.
    static func interleave(
        _ even: UnsafePointer<Self>, _ odd: UnsafePointer<Self>, count: Int,
        into pairs: UnsafeMutablePointer<Self>)

    /// The sample that `interleave` stored in this form.
    static func stored(_ pairElement: Self) -> Self

    /// Weighs a window of row pairs into one row of sums, split into `high` and `low`.
    static func weighRows(
        _ window: RowWindow<Self>, high: UnsafeMutablePointer<Int16>, low: UnsafeMutablePointer<Int16>)

    /// Weighs up to four rows of gathered sums (`SumQuads`) into as many rows of target samples.
    static func weighColumns(
        _ filter: FilterWeights, _ sums: UnsafePointer<Int16>, into rows: TargetRows<Self>)
}

/// The row pairs under one target row, in a ring.
@unsafe struct RowWindow<Sample> {
    /// The ring's first pair.
    let ring: UnsafePointer<Sample>
    /// Samples from one pair to the next: twice the row length, which is a multiple of `columnStep`.
    let pairStride: Int
    /// The pairs in the ring.
    let capacity: Int
    /// Where in the ring the window begins.
    let firstSlot: Int
    /// The pairs of the window, at most `capacity`.
    let pairCount: Int
    /// Eight numbers a pair: its two weights, four times over.
    let weights: UnsafePointer<Int16>
}

/// Rows of a target plane that are made together, one below the other without a gap.
@unsafe struct TargetRows<Sample> {
    let base: UnsafeMutablePointer<Sample>
    let width: Int
    /// 1…4.
    let count: Int
}

/// The columns that the row kernel makes at a time: four vectors of sums, which is what 16 registers hold.
let columnStep = 16
