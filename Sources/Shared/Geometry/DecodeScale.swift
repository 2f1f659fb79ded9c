/// The part of its full size at which a JPEG is decoded, in eighths.
///
/// Not every k: no decoder here has fast code for more than half of a block's frequencies, and libjpeg-turbo
/// takes longer for 5/8 and 6/8 than for the full size.
public enum DecodeScale: Int, CaseIterable, Comparable, Hashable, Sendable {
    case eighth = 1
    case quarter = 2
    case threeEighths = 3
    case half = 4
    case full = 8

    /// k of k/8: 1, 2, 3, 4 or 8.
    public var eighths: Int { rawValue }

    /// The smallest of these scales that leaves the resampler the headroom on both axes; nil if none does.
    ///
    /// The decoded extent is the real number `side · k/8`; a decoder's rounded-up size is not the extent.
    public init?(
        stored: PixelSize, output: PixelSize, headroom: Headroom, among scales: some Sequence<DecodeScale>
    ) {
        let enough = scales.filter { scale in
            let samples = headroom.perPixels * scale.eighths
            let wanted = headroom.samples * 8
            return stored.width * samples >= wanted * output.width
                && stored.height * samples >= wanted * output.height
        }
        guard let smallest = enough.min() else { return nil }
        self = smallest
    }

    public static func < (one: DecodeScale, other: DecodeScale) -> Bool { one.eighths < other.eighths }
}

/// How many decoded samples the resampler must find for each output pixel, on both axes: `samples` for
/// every `perPixels`, so that the rule stays in integers.
public enum Headroom: Hashable, Sendable {
    /// Resampling the stored, gamma-coded values: 2. Factor 1 costs 12 dB.
    case gamma
    /// The same in a hurry: 3/2, so that pictures of 12 to 16 times the output are decoded at 1/8. Measured
    /// at 13 times, that costs 4 to 16 dB before the thumbnail is encoded (57 become 47 on average), and 0.1
    /// to 0.9 after.
    case fast
    /// Resampling linear light: 4, since the decoder averages its blocks gamma-coded.
    case linear

    var samples: Int {
        switch self {
        case .gamma: 2
        case .fast: 3
        case .linear: 4
        }
    }

    var perPixels: Int {
        switch self {
        case .gamma, .linear: 1
        case .fast: 2
        }
    }
}
