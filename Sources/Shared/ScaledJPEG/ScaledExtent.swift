/// The size of one component at k/8.
public struct ScaledExtent: Hashable, Sendable {
    /// Of picture, in samples: the stored size · k/8, real numbers.
    public let width: Double
    public let height: Double
    /// Samples that show any of it: the same rounded up.
    public let columns: Int
    public let rows: Int

    init(_ component: FrameComponent, of frame: FrameHeader, eighths k: Int) {
        let (across, down) = (frame.width * component.h * k, frame.height * component.v * k)
        width = Double(across) / Double(8 * frame.maximumH)
        height = Double(down) / Double(8 * frame.maximumV)
        columns = across.dividedRoundingUp(by: 8 * frame.maximumH)
        rows = down.dividedRoundingUp(by: 8 * frame.maximumV)
    }
}
