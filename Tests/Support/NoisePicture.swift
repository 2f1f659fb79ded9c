/// A JPEG full of detail: baseline, 4:2:0, of coefficients at random. Of such files the scaled decoder reads several
/// parts at a time, and keeps where each block begins.
public enum NoisePicture {
    /// - Parameters:
    ///   - width: a multiple of 16, as `height`, in pixels.
    ///   - coefficients: of each block beside its level, 1…63.
    ///   - seed: the same picture for the same seed.
    public static func bytes(width: Int, height: Int, coefficients: Int, seed: UInt64) -> [UInt8] {
        precondition(width % 16 == 0 && height % 16 == 0 && (1...63).contains(coefficients), "whole MCUs")
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xDB, [0] + [UInt8](repeating: 4, count: 64))
        let components: [UInt8] = [1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
        file += segment(0xC0, [8] + twoBytes(height) + twoBytes(width) + [3] + components)
        // Two symbols each: of one bit "no difference" and "a coefficient of two bits", of two bits "one bit of
        // difference", never used, and "the block ends".
        file += segment(0xC4, codeTable(0x00, [0x00, 0x01])) + segment(0xC4, codeTable(0x10, [0x02, 0x00]))
        file += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])
        var bits = BitWriter()
        var chance = SplitMix(seed: seed)
        for _ in 0..<width / 16 * (height / 16) * 6 {
            bits.append(0, count: 1)
            for _ in 0..<coefficients { bits.append(UInt(chance.next() & 3), count: 3) }
            if coefficients < 63 { bits.append(0b10, count: 2) }
        }
        return file + bits.finished() + [0xFF, 0xD9]
    }

    /// Of one code of one bit, 0, and one of two, 10.
    private static func codeTable(_ number: UInt8, _ symbols: [UInt8]) -> [UInt8] {
        [number, 1, 1] + [UInt8](repeating: 0, count: 14) + symbols
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + twoBytes(content.count + 2) + content
    }

    private static func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}

/// Entropy-coded data, the highest bit first.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt = 0
    private var count = 0

    /// The lowest `count` bits of `bits`, at most 8.
    mutating func append(_ bits: UInt, count added: Int) {
        pending = pending << UInt(added) | bits
        count += added
        while count >= 8 {
            count -= 8
            let byte = UInt8(truncatingIfNeeded: pending >> UInt(count))
            bytes.append(byte)
            // Else it would be a marker.
            if byte == 0xFF { bytes.append(0) }
        }
        pending &= 1 << UInt(count) - 1
    }

    /// Ones fill the last byte.
    mutating func finished() -> [UInt8] {
        while count != 0 { append(1, count: 1) }
        return bytes
    }
}
