/// How much of chroma a decode gives.
public enum ChromaDetail: Hashable, Sendable {
    /// Every component comes at the same scale.
    case full
    /// Chroma that is stored as large as luma comes at half of luma's scale, rounded up to eighths: for those who halve
    /// it anyhow, and then have as much of it to average as of luma.
    case halved
}

/// The scale of each component of a frame: k of k/8.
struct ComponentScales: Equatable {
    private let eighths: [Int]

    /// - Parameters:
    ///   - k: luma's, or the only component's; 1…4.
    ///   - chroma: of three components, the last two.
    init(_ k: Int, of frame: FrameHeader, chroma: ChromaDetail = .full) {
        eighths = frame.components.enumerated().map { index, component in
            let isWhole = component.h == frame.maximumH && component.v == frame.maximumV
            return index > 0 && isWhole && chroma == .halved ? (k + 1) / 2 : k
        }
    }

    /// Of the frame's component with this index.
    subscript(component: Int) -> Int { eighths[component] }
}
