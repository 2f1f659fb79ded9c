/// A picture decoded at k/8.
public struct ScaledPicture: Sendable {
    /// One a component, in the frame's order.
    public let planes: [ScaledPlane]
    /// Position in the file behind the end-of-image marker.
    public let endOfImage: Int
}

/// One decoded component: rows of samples from the top, 8 bits each.
public struct ScaledPlane: Sendable {
    /// Samples that show any of the picture: the stored size · k/8, rounded up.
    public let columns: Int
    public let rows: Int
    /// Samples from one row to the next: whole MCUs, rounded up to whole `BlockGroups`.
    let stride: Int
    /// Whole MCUs, row after row.
    let samples: ZeroedMemory<UInt8>

    init(_ component: FrameComponent, of frame: FrameHeader, eighths k: Int) {
        let extent = ScaledExtent(component, of: frame, eighths: k)
        columns = extent.columns
        rows = extent.rows
        stride = Self.stride(of: component, eighths: k)
        samples = ZeroedMemory(count: stride * component.storedRows * k)
    }

    /// What planes of a frame take, in bytes.
    static func bytes(of frame: FrameHeader, at scales: ComponentScales) -> Int {
        frame.components.enumerated().reduce(0) { sum, entry in
            let (component, k) = (entry.element, scales[entry.offset])
            return sum + stride(of: component, eighths: k) * component.storedRows * k
        }
    }

    private static func stride(of component: FrameComponent, eighths k: Int) -> Int {
        BlockGroups(blocks: component.storedColumns, eighths: k).count * BlockGroups.size * k
    }

    /// Row y, 0 at the top; `columns` samples.
    public func withRow<Result>(_ y: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        samples.withSpan(of: y * stride..<y * stride + columns, body)
    }
}
