/// Why a request gives no thumbnail size. None of these can succeed on a second try.
public enum GeometryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not of the form `WxH`.
    case malformedPointSize(String)
    /// A side is zero, negative, infinite or not a number.
    case invalidPointSize(width: Double, height: Double)
    /// The scale is zero, negative, infinite or not a number.
    case invalidScale(Double)
    /// Both factors are sound, but their product is no finite number greater than zero.
    case invalidBox(points: PointSize, scale: Double)
    /// The request names no scale.
    case noScale
    /// Not one pixel of the picture's long side fits the box.
    case targetTooSmall(displayed: PixelSize, points: PointSize, scale: Double)

    public var description: String {
        switch self {
        case .malformedPointSize(let text):
            // A job may carry 64 KiB of anything here; a message needs no more than its beginning.
            "point size \"\(text.prefix(40))\" is not of the form WxH, such as 120x120"
        case .invalidPointSize(let width, let height):
            "point size \(width)x\(height): both sides must be finite and greater than 0"
        case .invalidScale(let scale):
            "scale \(scale) must be finite and greater than 0"
        case .invalidBox(let points, let scale):
            "point size \(points) at scale \(scale) gives no box of finite size greater than 0"
        case .noScale:
            "the job names no scale"
        case .targetTooSmall(let displayed, let points, let scale):
            "a \(displayed) picture has no whole pixel left in \(points) points at scale \(scale)"
        }
    }
}
