/// The weights of both axes of a plane. Planes of one geometry, such as Cb and Cr, share one.
public struct PlaneFilter: Sendable {
    let horizontal: FilterWeights
    let vertical: FilterWeights

    public init(horizontal: Axis, vertical: Axis) {
        self.horizontal = RecentWeights.weights(of: horizontal)
        self.vertical = RecentWeights.weights(of: vertical)
    }

    /// The bytes that a filter takes from the process; an upper bound. About 12 bytes for each source
    /// column and row.
    public static func peakBytes(horizontal: Axis, vertical: Axis) -> Int {
        FilterWeights.allocatedBytes(horizontal)
            + FilterWeights.allocatedBytes(vertical)
    }
}
