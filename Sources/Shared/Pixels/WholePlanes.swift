extension PlaneFilter {
    /// For chroma made at full size, as from an RGB or CMYK source: to half size on both axes, for the
    /// encoder. The resampler, not the usual box of 2x2: it needs no rule of its own for odd sizes, its
    /// last sample is centred where the decoder will expect it, and transposing stays exact. At output
    /// size its cost is small.
    public static func halving(width: Int, height: Int) -> PlaneFilter {
        PlaneFilter(
            horizontal: .whole(width, to: .everySecond(width)),
            vertical: .whole(height, to: .everySecond(height)))
    }

    /// The bytes that halving two planes with one filter takes beside them, both results included; an
    /// upper bound.
    public static func halvingBytes(width: Int, height: Int) -> Int {
        let horizontal = Axis.whole(width, to: .everySecond(width))
        let vertical = Axis.whole(height, to: .everySecond(height))
        return peakBytes(horizontal: horizontal, vertical: vertical)
            + 2 * PlaneResampler.peakBytes(horizontal: horizontal, vertical: vertical)
    }
}

extension Plane {
    /// The whole plane resampled at once.
    public func resampled(by filter: PlaneFilter) -> Plane {
        var resampler = PlaneResampler(filter)
        for y in 0..<min(height, resampler.rowsExpected) { resampler.push(row(y)) }
        return resampler.finish()
    }
}
