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
}

extension Plane {
    /// The whole plane resampled at once.
    public func resampled(by filter: PlaneFilter) -> Plane {
        var resampler = PlaneResampler(filter)
        for y in 0..<min(height, resampler.rowsExpected) { resampler.push(row(y)) }
        return resampler.finish()
    }
}
