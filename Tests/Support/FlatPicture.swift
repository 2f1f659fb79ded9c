/// A grey baseline JPEG of one level: two bits a block, so that a picture of many pixels is a small file.
public enum FlatPicture {
    /// - Parameter side: in pixels, a multiple of 16.
    public static func bytes(side: Int) -> [UInt8] {
        precondition(side % 16 == 0, "whole bytes of data")
        let sides = [UInt8(side >> 8), UInt8(side & 255)]
        // Both codes have one symbol, of one bit: "no difference", and "the block ends".
        let code: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        return [0xFF, 0xD8]
            + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
            + segment(0xC0, [8] + sides + sides + [1, 1, 0x11, 0])
            + segment(0xC4, [0x00] + code) + segment(0xC4, [0x10] + code)
            + segment(0xDA, [1, 1, 0, 0, 63, 0])
            + [UInt8](repeating: 0, count: side / 8 * (side / 8) / 4) + [0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }
}
