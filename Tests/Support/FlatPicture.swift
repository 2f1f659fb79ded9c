/// A JPEG of one level in every component: a bit or two a block, so that a picture of many pixels is a small file.
public enum FlatPicture {
    /// Grey and baseline.
    ///
    /// - Parameter side: in pixels.
    public static func bytes(side: Int) -> [UInt8] {
        bytes(width: side, height: side, factors: [(1, 1)], isProgressive: false)
    }

    /// - Parameters:
    ///   - width: as `height` 1…65,535, in pixels.
    ///   - factors: sampling factors, 1…4, of one component (grey), three (YCbCr) or four (CMYK).
    ///   - isProgressive: with one scan of DC, which says all that there is; else baseline.
    public static func bytes(
        width: Int, height: Int, factors: [(h: Int, v: Int)], isProgressive: Bool
    ) -> [UInt8] {
        let count = UInt8(factors.count)
        // Both codes have one symbol, of one bit: "no difference", and "the block ends".
        let code: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        var frame: [UInt8] = [8] + twoBytes(height) + twoBytes(width) + [count]
        var scan: [UInt8] = [count]
        for (id, factor) in zip(1...count, factors) {
            frame += [id, UInt8(factor.h << 4 | factor.v), 0]
            scan += [id, 0]
        }
        var file: [UInt8] = [0xFF, 0xD8]
        // Adobe's segment says that four components are no YCCK.
        if count == 4 { file += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]) }
        file += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += segment(isProgressive ? 0xC2 : 0xC0, frame)
        file += segment(0xC4, [0x00] + code) + segment(0xC4, [0x10] + code)
        file += segment(0xDA, scan + [0, isProgressive ? 0 : 63, 0])
        file += zeros(blocks(width, height, factors) * (isProgressive ? 1 : 2))
        return file + [0xFF, 0xD9]
    }

    /// Of the one scan. A lone component's blocks are those that show any of the picture.
    private static func blocks(_ width: Int, _ height: Int, _ factors: [(h: Int, v: Int)]) -> Int {
        func count(_ extent: Int, _ unit: Int) -> Int { (extent + unit - 1) / unit }
        if factors.count == 1 { return count(width, 8) * count(height, 8) }
        let most = (h: factors.map(\.h).max() ?? 1, v: factors.map(\.v).max() ?? 1)
        let units = count(width, 8 * most.h) * count(height, 8 * most.v)
        return units * factors.reduce(0) { $0 + $1.h * $1.v }
    }

    /// Bits of zero; ones fill the last byte.
    private static func zeros(_ bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (bits + 7) / 8)
        if bits % 8 != 0 { bytes[bytes.count - 1] = 0xFF >> UInt8(bits % 8) }
        return bytes
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + twoBytes(content.count + 2) + content
    }

    private static func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}
