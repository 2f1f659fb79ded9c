import Geometry

/// How one axis of a plane is resampled: the centre of target sample i lies at
/// `(targetOrigin + i + 0.5) · sourceExtent / targetExtent`, in source samples from the picture's edge.
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
    /// Where the first target sample begins: 0, or half a sample before the picture.
    public let targetOrigin: Double

    /// What becomes of a picture of `size` pixels: a sample for each of them, or for every second.
    public enum Target: Hashable, Sendable {
        /// Luma, or chroma that is not reduced: `size` samples.
        case every(Int)
        /// Chroma at half size: ⌈size / 2⌉ samples that cover size / 2. Those of an odd size end half a
        /// sample beyond the picture, or begin half a sample before it if counted `backwards`, for a
        /// picture that will be mirrored.
        case everySecond(Int, backwards: Bool = false)
    }

    /// All of the source samples, each of them whole, onto the target.
    public static func whole(_ sourceCount: Int, to target: Target) -> Axis {
        Axis(sourceExtent: Double(sourceCount), delivered: sourceCount, target: target)
    }

    /// One axis of one component as a decoder delivers it.
    ///
    /// - Parameters:
    ///   - extent: how much of the samples is picture, a real number: `W · k/8` for luma at k/8.
    ///   - delivered: the samples that the decoder delivers, padding included; at least the extent.
    public static func decoded(extent: Double, delivered: Int, to target: Target) -> Axis {
        Axis(sourceExtent: extent, delivered: delivered, target: target)
    }

    private init(sourceExtent: Double, delivered: Int, target: Target) {
        switch target {
        case .every(let size):
            targetExtent = Double(size)
            targetCount = size
            targetOrigin = 0
        case .everySecond(let size, let backwards):
            targetExtent = Double(size) / 2
            targetCount = (size + 1) / 2
            targetOrigin = backwards ? targetExtent - Double(targetCount) : 0
        }
        self.sourceExtent = sourceExtent
        sourceCount = Int(sourceExtent.rounded(.up))
        precondition(sourceCount > 0 && targetCount > 0, "\(sourceExtent) samples onto \(targetCount)")
        precondition(delivered >= sourceCount, "\(delivered) samples delivered of \(sourceExtent)")
    }

    /// Source samples a target sample; above 1 when reducing.
    public var ratio: Double { sourceExtent / targetExtent }

    /// The axis whose weights are this one's mirrored, if this one counts backwards and the source's extent
    /// is whole: calculated once and mirrored, they agree to the last bit.
    var forwardMirror: Axis? {
        guard targetOrigin < 0, sourceExtent == Double(sourceCount) else { return nil }
        return Axis(mirroring: self)
    }

    private init(mirroring axis: Axis) {
        sourceExtent = axis.sourceExtent
        sourceCount = axis.sourceCount
        targetExtent = axis.targetExtent
        targetCount = axis.targetCount
        targetOrigin = 0
    }

    /// True if both extents are whole, so that the mirrored picture has mirrored weights.
    var isWhole: Bool { sourceExtent == Double(sourceCount) && targetExtent == Double(targetCount) }
}
