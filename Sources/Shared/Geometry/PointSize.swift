/// A bounding box in points: both sides finite and greater than zero.
public struct PointSize: Hashable, Sendable, CustomStringConvertible {
    public let width: Double
    public let height: Double

    /// - Throws: `invalidPointSize` for a side that is zero, negative, infinite or not a number.
    public init(width: Double, height: Double) throws(GeometryError) {
        guard width.isFinite, height.isFinite, width > 0, height > 0 else {
            throw .invalidPointSize(width: width, height: height)
        }
        self.width = width
        self.height = height
    }

    /// Reads `WxH` with a lower-case x, such as `120x120`, `533.4x1000` or `1e3x80`.
    ///
    /// - Throws: `malformedPointSize` for any other text, `invalidPointSize` for sides out of range.
    public init(_ text: String) throws(GeometryError) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Self.side(sides[0]), let height = Self.side(sides[1]) else {
            throw .malformedPointSize(text)
        }
        try self.init(width: width, height: height)
    }

    public var description: String { "\(Self.text(width))x\(Self.text(height))" }

    private static func side(_ text: Substring) -> Double? {
        // Double's own parser takes a text to its end, but it would also take a hexadecimal number.
        text.utf8.contains(where: { $0 == UInt8(ascii: "p") || $0 == UInt8(ascii: "P") }) ? nil : Double(text)
    }

    /// Whole numbers without `.0`, as people write them.
    private static func text(_ side: Double) -> String {
        let text = String(side)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
