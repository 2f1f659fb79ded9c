public import Geometry

/// One component as the decoder delivers it.
public struct DecodedPlane: Hashable, Sendable {
    /// Rows delivered, and samples in each.
    public let samples: PixelSize
    /// The part of them that is picture, in samples: the stored size scaled as real numbers. The
    /// last column and row may cover less than a whole sample; ignoring that shifts the picture.
    public let extent: Extent

    public struct Extent: Hashable, Sendable {
        public let width: Double
        public let height: Double
    }
}

extension JPEGHeader {
    /// The planes that `JPEGDecoder` delivers at a scale. Subsampled chroma is decoded at up to
    /// twice the scale where that spares the upsampling, as libjpeg does.
    func planes(at scale: DecodeScale) -> [DecodedPlane] {
        components.map { component in
            let block = blockSamples(of: component, at: scale)
            return plane(
                numerator: (component.h * block, component.v * block),
                denominator: (maximumH * 8, maximumV * 8))
        }
    }

    /// The interleaved picture at a scale; `samples` counts pixels.
    func pixels(at scale: DecodeScale) -> DecodedPlane {
        plane(numerator: (scale.eighths, scale.eighths), denominator: (8, 8))
    }

    private func plane(numerator: (Int, Int), denominator: (Int, Int)) -> DecodedPlane {
        let width = size.width * numerator.0
        let height = size.height * numerator.1
        return DecodedPlane(
            samples: PixelSize(
                width: (width + denominator.0 - 1) / denominator.0,
                height: (height + denominator.1 - 1) / denominator.1),
            extent: DecodedPlane.Extent(
                width: Double(width) / Double(denominator.0), height: Double(height) / Double(denominator.1)))
    }

    /// Samples along a side of a decoded block: libjpeg's DCT_scaled_size.
    func blockSamples(of component: Component, at scale: DecodeScale) -> Int {
        var samples = scale.eighths
        while samples < 8,
            (maximumH * scale.eighths) % (component.h * samples * 2) == 0,
            (maximumV * scale.eighths) % (component.v * samples * 2) == 0
        { samples *= 2 }
        return samples
    }
}
