import Geometry

/// How one axis of a plane is resampled: the centre of target sample i lies at
/// `(i + 0.5) · sourceExtent / targetExtent`, in source samples from the picture's edge.
///
/// Extents are real numbers, since a picture need not end where its samples end: a decode at k/8
/// covers `W · k/8` samples and delivers them rounded up, and half-size chroma of an odd width ends
/// in the middle of its last sample. Taking the count for the extent shifts the picture and costs 10
/// to 15 dB. The factories below are the only ways to make one.
public struct Axis: Hashable, Sendable {
    /// The picture's extent in source samples.
    public let sourceExtent: Double
    /// The source samples that show any of the picture: the extent rounded up. Only these are read;
    /// positions outside take the first or last of them.
    public let sourceCount: Int
    /// The picture's extent in target samples.
    public let targetExtent: Double
    /// The target samples to make.
    public let targetCount: Int

    /// What becomes of a picture of `size` pixels: a sample for each of them, or for every second.
    public enum Target: Hashable, Sendable {
        /// Luma, or chroma that is not reduced: `size` samples.
        case every(Int)
        /// Chroma at half size: ⌈size / 2⌉ samples that cover size / 2.
        case everySecond(Int)
    }

    /// All of the source samples, each of them whole, onto the target.
    public static func whole(_ sourceCount: Int, to target: Target) -> Axis {
        Axis(sourceExtent: Double(sourceCount), delivered: sourceCount, target: target)
    }

    /// One axis of one component of a JPEG picture.
    ///
    /// - Parameters:
    ///   - size: the picture's full size on this axis, in pixels, as its header says.
    ///   - sampling: the component's sampling factor on this axis, of the picture's largest.
    ///   - eighths: the k of k/8 at which *this component* is decoded. libjpeg takes a higher one for
    ///     subsampled chroma where it can: 2 where luma has 1, say.
    ///   - delivered: the samples that the decoder delivers, padding included; at least the extent.
    public static func decoded(
        size: Int, sampling: Int, of largestSampling: Int, eighths: Int, delivered: Int, to target: Target
    ) -> Axis {
        precondition((1...largestSampling).contains(sampling), "sampling \(sampling) of \(largestSampling)")
        precondition(eighths > 0, "a decode at \(eighths)/8")
        // One division, of exact integers: an extent that is whole comes out whole.
        let extent = Double(size * sampling * eighths) / Double(8 * largestSampling)
        return Axis(sourceExtent: extent, delivered: delivered, target: target)
    }

    private init(sourceExtent: Double, delivered: Int, target: Target) {
        switch target {
        case .every(let size):
            targetExtent = Double(size)
            targetCount = size
        case .everySecond(let size):
            targetExtent = Double(size) / 2
            targetCount = (size + 1) / 2
        }
        self.sourceExtent = sourceExtent
        sourceCount = Int(sourceExtent.rounded(.up))
        precondition(sourceCount > 0 && targetCount > 0, "\(sourceExtent) samples onto \(targetCount)")
        precondition(delivered >= sourceCount, "\(delivered) samples delivered of \(sourceExtent)")
    }

    /// Source samples a target sample; above 1 when reducing.
    public var ratio: Double { sourceExtent / targetExtent }

    /// True if both extents are whole, so that the mirrored picture has mirrored weights.
    var isWhole: Bool { sourceExtent == Double(sourceCount) && targetExtent == Double(targetCount) }
}
