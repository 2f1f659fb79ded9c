internal import Pixels

/// One decoded row of pixels as light: 16 bits a sample, a grey channel or red, green and blue.
struct LinearRow: ~Copyable {
    private let colour: SourceColour
    /// Red, green and blue of a row of inks; empty for other colours.
    private var pixels: [UInt8]
    /// Grey, or red.
    private var first: [UInt16]
    private var green: [UInt16]
    private var blue: [UInt16]

    /// - Parameter width: in pixels.
    init(_ colour: SourceColour, width: Int) {
        self.colour = colour
        let others = colour == .grey ? 0 : width
        pixels = [UInt8](repeating: 0, count: colour.components == 4 ? 3 * width : 0)
        first = [UInt16](repeating: 0, count: width)
        green = [UInt16](repeating: 0, count: others)
        blue = [UInt16](repeating: 0, count: others)
    }

    /// Upper bound of the bytes that a row of so many pixels takes.
    static func bytes(width: Int) -> Int {
        width * 3 * (MemoryLayout<UInt16>.size + MemoryLayout<UInt8>.size) + 4 * arrayOverhead
    }

    /// A Swift array's header, the allocator's, and rounding.
    private static let arrayOverhead = 64

    /// Grey or red, green and blue by their index; a grey row has but the first.
    func channel(_ index: Int) -> [UInt16] { index == 0 ? first : index == 1 ? green : blue }

    /// - Parameter samples: interleaved, one a component. The decoder has made CMYK of YCCK.
    mutating func fill(from samples: Span<UInt8>) {
        switch colour {
        case .grey, .yCbCr, .rgb: linearise(samples)
        case .cmyk(let polarity), .ycck(let polarity):
            // Moved out and back: the pixels are read while the channels are written.
            var pixels: [UInt8] = []
            swap(&pixels, &self.pixels)
            var converted = pixels.mutableSpan
            ColourConversion.convertCMYKToRGB(samples, polarity: polarity, into: &converted)
            linearise(pixels.span)
            swap(&pixels, &self.pixels)
        }
    }

    private mutating func linearise(_ pixels: Span<UInt8>) {
        let channels = colour == .grey ? 1 : 3
        do {
            var light = first.mutableSpan
            TransferFunction.linearise(pixels, channel: 0, of: channels, into: &light)
        }
        guard channels == 3 else { return }
        do {
            var light = green.mutableSpan
            TransferFunction.linearise(pixels, channel: 1, of: channels, into: &light)
        }
        var light = blue.mutableSpan
        TransferFunction.linearise(pixels, channel: 2, of: channels, into: &light)
    }
}
