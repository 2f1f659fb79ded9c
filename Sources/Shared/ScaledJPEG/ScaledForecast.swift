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
    public func planes(at scale: DecodeScale, chroma: ChromaDetail = .full) -> [ScaledExtent] {
        let scales = scales(scale, chroma)
        return frame.components.enumerated().map { ScaledExtent($1, of: frame, eighths: scales[$0]) }
    }

    /// The planes' memory, held until the picture is given up.
    public func planeBytes(at scale: DecodeScale, chroma: ChromaDetail = .full) -> Int {
        ScaledPlane.bytes(of: frame, at: scales(scale, chroma))
    }

    /// The most that a decode holds at a time, planes included.
    ///
    /// - Parameter fileBytes: the file's length: no window is larger than the file.
    public func peakBytes(at scale: DecodeScale, chroma: ChromaDetail = .full, fileBytes: Int) -> Int {
        let scales = scales(scale, chroma)
        return frame.isProgressive
            ? ProgressiveDecoder.peakBytes(of: frame, at: scales)
            : SequentialDecoder.peakBytes(of: frame, at: scales, fileBytes: fileBytes)
    }

    private func scales(_ scale: DecodeScale, _ chroma: ChromaDetail) -> ComponentScales {
        ComponentScales(scale.eighths, of: frame, chroma: chroma)
    }
}
