public import Geometry

/// What is wanted of a picture: one thumbnail a scale, all from one decode.
public struct ThumbnailRequest: Hashable, Sendable {
    public let points: PointSize
    /// Display pixels a point, one thumbnail each.
    public let scales: [Double]
    /// JPEG quality, 1…100.
    public let quality: Int
    public let options: RenderOptions

    public init(points: PointSize, scales: [Double], quality: Int, options: RenderOptions) {
        self.points = points
        self.scales = scales
        self.quality = quality
        self.options = options
    }
}

/// What an operator decides for every picture alike.
public struct RenderOptions: Hashable, Sendable {
    /// Average light instead of stored values. Stored values are what ImageIO and most viewers average;
    /// light is right for fine bright detail, and is decoded at twice the scale.
    public var usesLinearLight: Bool
    /// Decode a little smaller than the resampler would like. No effect on linear light, which wants more of
    /// the decoder and not less.
    public var isFast: Bool
    /// Make a thumbnail of a damaged picture too, and say so.
    public var acceptsPartial: Bool
    /// Pixels that a picture may claim.
    public var pixelLimit: Int

    /// One gigapixel: beyond any single photograph, and libjpeg still takes panoramas below it.
    public static let defaultPixelLimit = 1_000_000_000

    public init(
        usesLinearLight: Bool = false, isFast: Bool = false, acceptsPartial: Bool = false,
        pixelLimit: Int = RenderOptions.defaultPixelLimit
    ) {
        self.usesLinearLight = usesLinearLight
        self.isFast = isFast
        self.acceptsPartial = acceptsPartial
        self.pixelLimit = pixelLimit
    }
    var headroom: Headroom { usesLinearLight ? .linear : isFast ? .fast : .gamma }
}
