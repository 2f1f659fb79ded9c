/// The part of its full size at which a JPEG is decoded, in eighths.
///
/// Only powers of two: libjpeg-turbo has no fast code for the others, and 5/8 and 6/8 are slower
/// than the full size.
public enum DecodeScale: Int, CaseIterable, Comparable, Hashable, Sendable {
    case eighth = 1
    case quarter = 2
    case half = 4
    case full = 8

    /// k of k/8: 1, 2, 4 or 8.
    public var eighths: Int { rawValue }

    /// The smallest scale that leaves the resampler the headroom on both axes, else the full size.
    ///
    /// The decoded extent is the real number `side · k/8`; libjpeg's rounded-up size is not the extent.
    public init(stored: PixelSize, output: PixelSize, headroom: Headroom) {
        let enough = Self.allCases.first { scale in
            stored.width * scale.eighths >= headroom.factor * output.width * 8
                && stored.height * scale.eighths >= headroom.factor * output.height * 8
        }
        self = enough ?? .full
    }

    public static func < (one: DecodeScale, other: DecodeScale) -> Bool { one.eighths < other.eighths }
}

/// How many decoded samples the resampler must find for each output pixel, on both axes.
public enum Headroom: Hashable, Sendable {
    /// Resampling the stored, gamma-coded values: factor 2. Factor 1 costs 12 dB.
    case gamma
    /// Resampling linear light: factor 4, since the decoder averages its blocks gamma-coded.
    case linear

    public var factor: Int {
        switch self {
        case .gamma: 2
        case .linear: 4
        }
    }
}
