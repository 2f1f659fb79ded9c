/// Resamples a plane as its rows arrive, with Lanczos-3: a target row is made as soon as the last
/// pair of source rows under it is there, and at most ⌈6 · ratio⌉ + 2 source rows are kept.
///
/// The result is exact: each sample is the double sum of the weighed source samples, rounded once,
/// half up. So a transposed picture gives the transposed result bit for bit, and a mirrored one the
/// mirrored result where the extents are whole.
///
///     var resampler = PlaneResampler(PlaneFilter(horizontal: columns, vertical: rows))
///     for y in 0..<plane.height { resampler.push(plane.row(y)) }
///     let smaller = resampler.finish()
public struct PlaneResampler: ~Copyable {
    private var core: StreamingResampler<UInt8>

    public init(_ filter: PlaneFilter) { core = StreamingResampler(filter) }

    /// The rows that `finish()` wants: those that show any of the picture.
    public var rowsExpected: Int { core.rowsExpected }

    /// The rows pushed so far, padding left out.
    public var rowsReceived: Int { core.rowsReceived }

    /// Takes the next row from the top. Columns and rows beyond the picture's extent are never read.
    ///
    /// - Precondition: the row has at least the horizontal axis' `sourceCount` samples.
    public mutating func push(_ row: Span<UInt8>) { core.push(row) }

    /// The finished plane.
    ///
    /// - Precondition: every expected row was pushed.
    public consuming func finish() -> Plane { core.finish() }

    /// The finished plane of a picture that broke off, its missing rows filled in.
    public consuming func finish(filling missing: MissingRows) -> Plane { core.finish(filling: missing) }

    /// The bytes that a resampler takes from the process, its output included and its filter not; an
    /// upper bound.
    public static func peakBytes(horizontal: Axis, vertical: Axis) -> Int {
        StreamingResampler<UInt8>.peakBytes(horizontal: horizontal, vertical: vertical)
    }

    /// The bytes that this resampler takes from the process.
    public var allocatedBytes: Int { core.allocatedBytes }
}

/// The same for linear light: 16 bits a sample, as exact, and at the same price a byte.
public struct LinearResampler: ~Copyable {
    private var core: StreamingResampler<UInt16>

    public init(_ filter: PlaneFilter) { core = StreamingResampler(filter) }

    /// The rows that `finish()` wants: those that show any of the picture.
    public var rowsExpected: Int { core.rowsExpected }

    /// The rows pushed so far, padding left out.
    public var rowsReceived: Int { core.rowsReceived }

    /// Takes the next row from the top. Columns and rows beyond the picture's extent are never read.
    ///
    /// - Precondition: the row has at least the horizontal axis' `sourceCount` samples.
    public mutating func push(_ row: Span<UInt16>) { core.push(row) }

    /// The finished plane.
    ///
    /// - Precondition: every expected row was pushed.
    public consuming func finish() -> LinearPlane { core.finish() }

    /// The finished plane of a picture that broke off, its missing rows filled in.
    public consuming func finish(filling missing: MissingRows) -> LinearPlane {
        core.finish(filling: missing)
    }

    /// The bytes that a resampler takes from the process, its output included and its filter not; an
    /// upper bound.
    public static func peakBytes(horizontal: Axis, vertical: Axis) -> Int {
        StreamingResampler<UInt16>.peakBytes(horizontal: horizontal, vertical: vertical)
    }

    /// The bytes that this resampler takes from the process.
    public var allocatedBytes: Int { core.allocatedBytes }
}

/// What the rows are filled with that a broken picture never delivered.
public enum MissingRows: Hashable, Sendable {
    /// The last row that came; grey if none did.
    case repeatLast
    /// The middle grey: 128, or its value in linear light. As chroma it is no colour.
    case grey
}
