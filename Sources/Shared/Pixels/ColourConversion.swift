/// Colour models, sample by sample and in place: BT.601 at full range as JFIF has it, in the same
/// 16-bit fixed point as libjpeg, so that both agree on every value.
///
/// Rows and whole planes (`mutableSamples`) are converted alike. All spans of a call have the same count.
public enum ColourConversion {
    /// How a CMYK picture stores its ink.
    public enum InkPolarity: Hashable, Sendable {
        /// 255 is full ink.
        case plain
        /// 255 is no ink, as Adobe's programs write it.
        case inverted
    }

    /// Red, green, blue become Y, Cb, Cr.
    public static func convertRGBToYCbCr(
        _ red: inout MutableSpan<UInt8>, _ green: inout MutableSpan<UInt8>, _ blue: inout MutableSpan<UInt8>
    ) {
        precondition(red.count == green.count && red.count == blue.count, "channels of different sizes")
        for index in red.indices {
            let (r, g, b) = (Int32(red[index]), Int32(green[index]), Int32(blue[index]))
            // Each row of factors sums to 65,536 or to 0, so grey stays grey. libjpeg rounds chroma
            // with one bit less than half, which keeps 255.5 from becoming 256.
            red[index] = UInt8(truncatingIfNeeded: (19_595 &* r &+ 38_470 &* g &+ 7_471 &* b &+ half) &>> 16)
            green[index] = UInt8(
                truncatingIfNeeded: (32_768 &* b &- 11_059 &* r &- 21_709 &* g &+ centre &+ half &- 1) &>> 16)
            blue[index] = UInt8(
                truncatingIfNeeded: (32_768 &* r &- 27_439 &* g &- 5_329 &* b &+ centre &+ half &- 1) &>> 16)
        }
    }

    /// Y, Cb, Cr become red, green, blue.
    public static func convertYCbCrToRGB(
        _ luma: inout MutableSpan<UInt8>, _ blueDifference: inout MutableSpan<UInt8>,
        _ redDifference: inout MutableSpan<UInt8>
    ) {
        precondition(
            luma.count == blueDifference.count && luma.count == redDifference.count,
            "channels of different sizes")
        for index in luma.indices {
            let y = Int32(luma[index])
            let cb = Int32(blueDifference[index]) &- 128
            let cr = Int32(redDifference[index]) &- 128
            luma[index] = clamped(y &+ (91_881 &* cr &+ half) &>> 16)
            blueDifference[index] = clamped(y &+ (-22_554 &* cb &- 46_802 &* cr &+ half) &>> 16)
            redDifference[index] = clamped(y &+ (116_130 &* cb &+ half) &>> 16)
        }
    }

    /// Y, Cb, Cr, K become cyan, magenta, yellow, K (which stays as it is): as libjpeg has it, the inks
    /// are the complements of red, green and blue.
    public static func convertYCCKToCMYK(
        _ luma: inout MutableSpan<UInt8>, _ blueDifference: inout MutableSpan<UInt8>,
        _ redDifference: inout MutableSpan<UInt8>
    ) {
        convertYCbCrToRGB(&luma, &blueDifference, &redDifference)
        for index in luma.indices {
            luma[index] = ~luma[index]
            blueDifference[index] = ~blueDifference[index]
            redDifference[index] = ~redDifference[index]
        }
    }

    /// Cyan, magenta, yellow become red, green, blue under black ink: without a profile, what is left
    /// of the light after the ink and after the black.
    public static func convertCMYKToRGB(
        _ cyan: inout MutableSpan<UInt8>, _ magenta: inout MutableSpan<UInt8>,
        _ yellow: inout MutableSpan<UInt8>,
        black: Span<UInt8>, polarity: InkPolarity
    ) {
        precondition(
            cyan.count == black.count && magenta.count == black.count && yellow.count == black.count,
            "channels of different sizes")
        // Light left is 255 less the ink, which is what inverted files store.
        let flip: UInt8 = polarity == .plain ? 0xFF : 0
        for index in black.indices {
            let light = Int32(black[index] ^ flip)
            cyan[index] = product(Int32(cyan[index] ^ flip), light)
            magenta[index] = product(Int32(magenta[index] ^ flip), light)
            yellow[index] = product(Int32(yellow[index] ^ flip), light)
        }
    }

    /// Interleaved cyan, magenta, yellow, black become interleaved red, green, blue, as above.
    ///
    /// - Precondition: three samples of room for four of ink.
    public static func convertCMYKToRGB(
        _ inks: Span<UInt8>, polarity: InkPolarity, into pixels: inout MutableSpan<UInt8>
    ) {
        let count = inks.count / 4
        precondition(pixels.count >= 3 * count, "\(inks.count) inks into \(pixels.count) samples")
        let flip: UInt8 = polarity == .plain ? 0xFF : 0
        for pixel in 0..<count {
            let light = Int32(inks[4 * pixel + 3] ^ flip)
            for channel in 0..<3 {
                pixels[3 * pixel + channel] = product(Int32(inks[4 * pixel + channel] ^ flip), light)
            }
        }
    }

    private static let half: Int32 = 1 << 15

    private static let centre: Int32 = 128 << 16

    private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }

    /// a · b / 255, rounded to nearest, exactly, for 0…255.
    private static func product(_ a: Int32, _ b: Int32) -> UInt8 {
        let sum = a &* b &+ 128
        return UInt8(truncatingIfNeeded: (sum &+ sum &>> 8) &>> 8)
    }
}
