internal import Geometry
internal import Pixels

/// One decoded row as light: 16 bits a sample, a grey channel or red, green and blue.
struct LinearRow: ~Copyable {
    private let colour: SourceColour
    private let width: Int
    private var stored: [[UInt8]]
    private var light: [[UInt16]]

    init(of picture: any SourcePicture, at scale: DecodeScale, layout: SourceLayout) {
        colour = picture.colour
        width = layout == .pixels ? picture.pixels(at: scale).samples.width : 0
        stored = Array(repeating: Array(repeating: 0, count: width), count: picture.colour.components)
        light = Array(
            repeating: Array(repeating: 0, count: width), count: picture.colour == .grey ? 1 : 3)
    }

    /// Upper bound of the bytes that a row takes.
    static func bytes(_ picture: any SourcePicture, at scale: DecodeScale) -> Int {
        let width = picture.pixels(at: scale).samples.width
        return width * (picture.colour.components + 3 * MemoryLayout<UInt16>.size)
    }

    func channel(_ index: Int) -> [UInt16] { light[index] }

    /// - Parameter pixels: interleaved, a sample a component.
    mutating func fill(from pixels: Span<UInt8>) {
        let components = stored.count
        for component in 0..<components {
            for x in 0..<width { stored[component][x] = pixels[x * components + component] }
        }
        switch colour {
        case .cmyk(let polarity), .ycck(let polarity):
            // The decoder has made CMYK of YCCK.
            let black = stored[3]
            convertToRGB(black: black, polarity)
        case .grey, .yCbCr, .rgb: break
        }
        for channel in light.indices {
            // Moved out and back: a span into an array's element would outlive the access to it.
            var row: [UInt16] = []
            swap(&row, &light[channel])
            var samples = row.mutableSpan
            let levels = stored[channel]
            TransferFunction.linearise(levels.span, into: &samples)
            swap(&row, &light[channel])
        }
    }

    private mutating func convertToRGB(black: [UInt8], _ polarity: ColourConversion.InkPolarity) {
        var (cyan, magenta, yellow) = (stored[0], stored[1], stored[2])
        var first = cyan.mutableSpan
        var second = magenta.mutableSpan
        var third = yellow.mutableSpan
        ColourConversion.convertCMYKToRGB(&first, &second, &third, black: black.span, polarity: polarity)
        (stored[0], stored[1], stored[2]) = (cyan, magenta, yellow)
    }
}
