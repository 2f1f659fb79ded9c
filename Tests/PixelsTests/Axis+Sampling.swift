import Pixels

extension Axis {
    /// An axis of a component of a picture of `size` pixels, decoded at `eighths`/8.
    static func decoded(
        size: Int, sampling: Int, of largestSampling: Int, eighths: Int, delivered: Int, to target: Target
    ) -> Axis {
        .decoded(
            extent: Double(size * sampling * eighths) / Double(8 * largestSampling), delivered: delivered,
            to: target)
    }
}
