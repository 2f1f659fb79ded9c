/// What to make of one picture: the size of each thumbnail, and the scale that decoding it takes.
///
/// Every rounding rule of the product is in this file. Sizes follow from header and request alone,
/// never from the decoder, the codec or the machine.
public struct ThumbnailPlan: Hashable, Sendable {
    public let stored: PixelSize
    public let orientation: Orientation
    /// The picture's own size after its orientation is applied.
    public let displayed: PixelSize
    /// One an asked-for scale, in the order asked for; never empty.
    public let outputs: [OutputSize]

    /// - Parameter scales: display pixels a point, each finite and greater than zero.
    /// - Throws: `noScale`, `invalidScale`, `invalidBox` or `targetTooSmall`; one bad scale fails the plan.
    public init(
        stored: PixelSize, orientation: Orientation, points: PointSize, scales: [Double]
    ) throws(GeometryError) {
        let displayed = orientation.applied(to: stored)
        var outputs: [OutputSize] = []
        for scale in scales {
            let box = try Box(points: points, scale: scale)
            guard let fitted = displayed.fitted(in: box) else {
                throw .targetTooSmall(displayed: displayed, points: points, scale: scale)
            }
            outputs.append(
                OutputSize(
                    scale: scale, displayed: fitted, stored: orientation.inverse.applied(to: fitted)))
        }
        guard !outputs.isEmpty else { throw .noScale }
        self.stored = stored
        self.orientation = orientation
        self.displayed = displayed
        self.outputs = outputs
    }

    /// The scale, of those that a decoder is fast at, that serves the largest output, and so all of them from
    /// one decode; nil if none leaves the headroom.
    public func decodeScale(_ headroom: Headroom, among scales: some Collection<DecodeScale>) -> DecodeScale?
    {
        var largest: DecodeScale?
        for output in outputs {
            guard
                let scale = DecodeScale(
                    stored: stored, output: output.stored, headroom: headroom, among: scales)
            else { return nil }
            largest = max(largest ?? scale, scale)
        }
        return largest
    }
}

/// The size of one thumbnail, before and after the picture is turned upright.
public struct OutputSize: Hashable, Sendable {
    /// The scale that asked for it, as the request spells it.
    public let scale: Double
    /// As the thumbnail file has it.
    public let displayed: PixelSize
    /// As the resampler makes it, in the picture's stored orientation.
    public let stored: PixelSize
}

/// Point size × scale: the room for a thumbnail in pixels, which need not be whole.
struct Box {
    let width: Double
    let height: Double

    init(points: PointSize, scale: Double) throws(GeometryError) {
        guard scale.isFinite, scale > 0 else { throw .invalidScale(scale) }
        width = Self.side(points.width * scale)
        height = Self.side(points.height * scale)
        guard width.isFinite, height.isFinite, width > 0, height > 0 else {
            throw .invalidBox(points: points, scale: scale)
        }
    }

    /// 4.35 points at scale 100 are 435 pixels, though the product of the two nearest Doubles is
    /// 434.99999999999994. Each decimal is off by half a unit in the last place, and so is their
    /// product; two units cover the sum, and no one can ask for less than that on purpose.
    private static func side(_ product: Double) -> Double {
        // Beyond this every picture fits anyhow.
        guard product < Double(PixelSize.maximumSide) else { return product }
        let whole = Double(Int(product + 0.5))
        return whole >= 1 && (product - whole).magnitude <= 2 * product.ulp ? whole : product
    }
}

extension PixelSize {
    /// The size of this (displayed) picture fitted into the box: never larger than the picture, the
    /// aspect ratio kept to the pixel. Nil if the long side has no whole pixel left.
    func fitted(in box: Box) -> PixelSize? {
        if box.width >= Double(width), box.height >= Double(height) { return self }
        let (boxLong, boxShort): (Double, Double) =
            if width == height {
                (min(box.width, box.height), min(box.width, box.height))
            } else if width > height {
                (box.width, box.height)
            } else {
                (box.height, box.width)
            }
        let (long, short) = (Double(longSide), Double(shortSide))
        // Multiplied before divided: with a whole box every product here is exact, so that 597 pixels
        // in a box of 360 are 360. `597 · (360/597)` would be 359.99999999999994, and a pixel lost.
        // An overflow to infinity is harmless: only one product can, the other box side being smaller
        // than its picture side, and the comparison still comes out right.
        let room = boxLong * short <= boxShort * long ? boxLong : boxShort * long / short
        // Limited before it is converted (which rounds down): the box may be 1e300 pixels wide.
        let newLong = Int(min(room, long))
        guard newLong >= 1 else { return nil }
        // Half up, in integers. A fractional box could be exceeded by less than half a pixel.
        let rounded = (2 * shortSide * newLong + longSide) / (2 * longSide)
        let limit = Int(min(boxShort, short))
        let newShort = max(1, min(rounded, limit))
        return width >= height
            ? PixelSize(width: newLong, height: newShort) : PixelSize(width: newShort, height: newLong)
    }
}
