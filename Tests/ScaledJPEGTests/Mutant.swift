import TestSupport

/// Copies of files with faults.
enum Mutant {
    /// One to three faults: a byte, a bit, bytes left out or doubled, an end.
    static func of(_ bytes: [UInt8], random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 2..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(bytes[place], at: place)
            case 4: bytes[place] = 0xFF
            default:
                let length = min(Int.random(in: 1...40, using: &random), bytes.count - place)
                bytes.replaceSubrange(
                    place..<place + length, with: bytes[2..<2 + min(length, bytes.count - 2)])
            }
            guard bytes.count > 4 else { return bytes }
        }
        return bytes
    }
}
