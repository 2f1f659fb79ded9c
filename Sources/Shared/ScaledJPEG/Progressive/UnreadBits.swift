/// How many bits of a component's AC coefficients are left unread, from the lowest.
///
/// Refinement scans are half of a file and more, and each takes the history of a whole band to read. Their
/// last bits are worth little where quantisers are fine, and nothing where the picture has so much detail
/// that cutting it off at k/8 costs more.
///
/// Measured on 22 photographs and wallpapers of 2 to 18 megapixels, as thumbnails of luma rounded to 8 bits,
/// against a Lanczos-3 of the full decode: at 1/8 … 1/16 of the size, what is left out here costs 0 to
/// 0.6 dB, 0.3 in the mean, of 48 to 58 dB. One bit of quantisers of 7 would cost 2 dB, two bits of smooth
/// pictures 0.5 to 1 dB, and one bit at 1/2 up to 9 dB, so that there everything is read.
enum UnreadBits {
    /// Of a component's quantisers, as a sum of squares: three of 4, for the three coefficients of 1/4.
    private static let coarsest = 3 * 4 * 4
    /// Bytes a block of scans that hold nothing but what is cut off, from which on a picture is detailed.
    private static let detailed = 1.5

    /// One a component: 0, 1 or 2.
    static func counts(_ script: ProgressiveScript, _ frame: FrameHeader, eighths k: Int) -> [Int] {
        let kept = KeptCoefficients(eighths: k)
        return frame.components.enumerated().map { index, component in
            guard k == 2 else { return 0 }
            let squares = (1..<64).filter { kept.mask >> UInt64($0) & 1 == 1 }
                .map { Int(script.quantisation[index].divisors[$0]) }.map { $0 * $0 }
            guard squares.reduce(0, +) <= coarsest else { return 0 }
            let cutOff = script.scans.filter {
                $0.header.components[0].index == index && !$0.header.isDC && !$0.header.isRefinement
                    && $0.header.band & kept.mask == 0
            }
            let bytes = cutOff.reduce(0) { $0 + $1.data.count }
            let blocks = component.blockColumns * component.blockRows
            return Double(bytes) < detailed * Double(blocks) ? 1 : 2
        }
    }
}
