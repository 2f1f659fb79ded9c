public import Geometry

/// What a decode at k/8 gives and takes, said from the header alone: nothing is read or allocated yet.
///
/// Upper bounds, to the page: who admits a decode with them is never surprised.
public struct ScaledForecast: Sendable {
    private let frame: FrameHeader

    /// - Parameters:
    ///   - size: of the stored picture, in pixels.
    ///   - sampling: horizontal and vertical factors, one pair a component.
    /// - Throws: what this decoder would decline the file for.
    public init(
        size: PixelSize, sampling: [(h: Int, v: Int)], isProgressive: Bool
    ) throws(Declined) {
        guard sampling.count == 1 || sampling.count == 3 else { throw .unusual(.components) }
        frame = try FrameHeader(
            width: size.width, height: size.height, isProgressive: isProgressive,
            sampling.map { FrameHeader.Entry(id: 0, h: $0.h, v: $0.v, quantisation: 0) })
    }

    /// The planes that come, in the frame's order.
    public func planes(at scale: DecodeScale) -> [ScaledExtent] {
        frame.components.map { ScaledExtent($0, of: frame, eighths: scale.eighths) }
    }

    /// The planes' memory, held until the picture is given up.
    public func planeBytes(at scale: DecodeScale) -> Int {
        ScaledPlane.bytes(of: frame, eighths: scale.eighths)
    }

    /// The most that a decode holds at a time, planes included.
    ///
    /// - Parameter fileBytes: the file's length: no window is larger than the file.
    public func peakBytes(at scale: DecodeScale, fileBytes: Int) -> Int {
        frame.isProgressive
            ? ProgressiveDecoder.peakBytes(of: frame, eighths: scale.eighths)
            : SequentialDecoder.peakBytes(of: frame, eighths: scale.eighths, fileBytes: fileBytes)
    }
}
