/// Width and height in pixels: both at least 1 and at most `maximumSide`.
///
/// Whoever reads a size from a file checks it before it becomes a `PixelSize`; a side out of range
/// here is a bug, and traps.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// No format that a worker decodes comes near (JPEG ends at 65,535); with it `2 · S · m + L`,
    /// the largest number of the size rules, stays within `Int`.
    public static let maximumSide = 1 << 30

    public let width: Int
    public let height: Int

    public init(width: Int, height: Int) {
        precondition((1...Self.maximumSide).contains(width), "width \(width) is no picture's width")
        precondition((1...Self.maximumSide).contains(height), "height \(height) is no picture's height")
        self.width = width
        self.height = height
    }

    public var pixelCount: Int { width * height }

    public var longSide: Int { max(width, height) }

    public var shortSide: Int { min(width, height) }

    /// The size with its sides swapped.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    public var description: String { "\(width)x\(height)" }
}
