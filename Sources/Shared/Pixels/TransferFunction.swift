import Glibc

/// sRGB's transfer function between 8-bit levels and linear light in 0…65,535.
///
/// The way back is exact: `encoded(linear(level)) == level` for all 256 levels.
public enum TransferFunction {
    /// The linear light of an sRGB level.
    public static func linear(_ level: UInt8) -> UInt16 { linearLevels[Int(level)] }

    /// The sRGB level nearest to a linear light, nearness measured in sRGB.
    public static func encoded(_ light: UInt16) -> UInt8 { levels[Int(light)] }

    /// Linear light of one channel of a row of interleaved pixels.
    ///
    /// - Precondition: `light` has room for a sample a pixel.
    public static func linearise(
        _ pixels: Span<UInt8>, channel: Int, of channels: Int, into light: inout MutableSpan<UInt16>
    ) {
        let count = pixels.count / channels
        precondition((0..<channels).contains(channel) && light.count >= count, "\(count) pixels")
        for index in 0..<count { light[index] = linearLevels[Int(pixels[index * channels + channel])] }
    }

    /// The 8-bit plane of a linear one.
    public static func encode(_ plane: borrowing LinearPlane) -> Plane {
        var encoded = Plane(width: plane.width, height: plane.height)
        let source = plane.samples
        var target = encoded.mutableSamples
        for index in source.indices { target[index] = levels[Int(source[index])] }
        return encoded
    }

    /// `pow` may differ between machines in its last bit. No value below lies nearer than 1e-4 to
    /// where a bit would matter, which a test holds.
    private static let linearLevels: [UInt16] = (0...255).map { UInt16(exactLight($0).rounded()) }

    private static let levels: [UInt8] = {
        var levels = [UInt8](repeating: 255, count: 65_536)
        var light = 0
        for level in 0..<255 {
            let border = exactLight(Double(level) + 0.5)
            while Double(light) < border {
                levels[light] = UInt8(level)
                light += 1
            }
        }
        return levels
    }()

    /// IEC 61966-2-1, from the levels 0…255 (and between) to 0…65,535.
    static func exactLight(_ level: Double) -> Double {
        let value = level / 255
        return 65_535 * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
    }

    private static func exactLight(_ level: Int) -> Double { exactLight(Double(level)) }
}
