import Testing

@testable import Pixels

@Suite struct RecentWeightsTests {
    @Test func `weights that are kept are those that would be calculated`() {
        // More than are kept, so that some are calculated again, and each asked for twice.
        let axes = (30..<60).map { Axis.whole($0, to: .every(20)) }
        for axis in axes + axes.reversed() + axes {
            for _ in 0..<2 {
                let (kept, made) = (RecentWeights.weights(of: axis), FilterWeights(axis))
                #expect(kept.axis == axis)
                #expect(kept.starts == made.starts && kept.weights == made.weights)
            }
        }
    }
}
