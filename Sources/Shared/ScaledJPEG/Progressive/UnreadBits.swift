/// How many bits of a component's AC coefficients are left unread, from the lowest.
///
/// Refinement scans are half of a file and more, and to read one takes the history of its whole band. Their
/// last bits are worth little where quantisers are fine, and less where the picture has so much detail that
/// cutting it off at k/8 costs more.
///
/// Measured as thumbnails of luma, rounded to 8 bits, at 1/8, 1/11 and 1/15 of the size, against Lanczos-3 of
/// the full decode. Of 22 progressive photographs and wallpapers, on which the bounds were chosen, what is
/// left out costs 0.12 dB in the mean and 0.5 at most, of 48 to 58 dB; of 20 that were made progressive
/// afterwards from five others, 0.11 and 0.55. Beyond the bounds one bit of quantisers of 7 costs 2 dB, two
/// bits of smooth pictures 1 dB. At 1/2 one bit costs 0.4 to 8 dB, so everything is read there; at 3/8, too.
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
