/// A JPEG that is small as a file and slow to decode: the longer a job runs, the less chance has a test
/// that wants to meet it running.
///
/// Grey, progressive, and correct in every respect. libjpeg absorbs each scan over the whole picture before
/// it shows a row, so time grows with `scans` and with the square of `side`; on one core, 4,096 pixels a
/// side and 491 scans take seconds. The scaled decoder would skip most of them: sampling factors of 4 × 4,
/// which mean nothing to a lone component, keep it away.
public enum SlowPicture {
    /// - Parameters:
    ///   - side: a multiple of 1,024, in pixels. The decoder holds two bytes a pixel.
    ///   - bands: 1…35 ranges of coefficients, each with 14 scans of one bit: 35 stay below the worker's
    ///     limit of 500 scans.
    ///   - isScalable: with factors of 1 × 1 after all, for the scaled decoder, which is fast.
    public static func bytes(side: Int, bands: Int = 35, isScalable: Bool = false) -> [UInt8] {
        precondition(side % 1024 == 0 && (1...35).contains(bands), "a whole number of runs of blocks")
        let blocks = side / 8 * (side / 8)
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += segment(0xC2, [8] + twoBytes(side) + twoBytes(side) + [1, 1, isScalable ? 0x11 : 0x44, 0])
        // One symbol each, of one bit: "no difference", and "16,384 blocks or more end here".
        file += segment(0xC4, codeTable(number: 0x00, symbol: 0x00))
        file += segment(0xC4, codeTable(number: 0x10, symbol: 0xE0))
        file += scan(coefficients: 0...0, bits: 0x00) + [UInt8](repeating: 0, count: blocks / 8)
        for band in 0..<bands {
            let range = (1 + 63 * band / bands)...(63 * (band + 1) / bands)
            for low in stride(from: 13, through: 0, by: -1) {
                let high = low == 13 ? 0 : low + 1
                file += scan(coefficients: range, bits: UInt8(high << 4 | low)) + runs(over: blocks)
            }
        }
        return file + [0xFF, 0xD9]
    }

    /// Runs of 16,384 blocks: a code of one bit and 14 bits of nothing more, all zero; ones fill the byte.
    private static func runs(over blocks: Int) -> [UInt8] {
        let bits = blocks / 16_384 * 15
        var bytes = [UInt8](repeating: 0, count: (bits + 7) / 8)
        if bits % 8 != 0 { bytes[bytes.count - 1] = 0xFF >> UInt8(bits % 8) }
        return bytes
    }

    private static func scan(coefficients: ClosedRange<Int>, bits: UInt8) -> [UInt8] {
        segment(0xDA, [1, 1, 0, UInt8(coefficients.lowerBound), UInt8(coefficients.upperBound), bits])
    }

    private static func codeTable(number: UInt8, symbol: UInt8) -> [UInt8] {
        [number, 1] + [UInt8](repeating: 0, count: 15) + [symbol]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + twoBytes(content.count + 2) + content
    }

    private static func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
