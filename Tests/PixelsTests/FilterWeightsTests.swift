@testable import Pixels
import Testing

@Suite struct FilterWeightsTests {
    /// Reductions mild and steep, whole and not, none at all, and enlargements.
    static let axes: [Axis] = [
        .whole(100, to: .every(100)), .whole(101, to: .every(100)), .whole(1008, to: .every(360)),
        .whole(756, to: .every(270)), .whole(7, to: .every(3)), .whole(1, to: .every(1)),
        .whole(2, to: .every(1)),
        .whole(3, to: .every(1)), .whole(5, to: .every(5)), .whole(4096, to: .every(1)),
        .whole(65_500, to: .every(1)),
        .whole(65_500, to: .every(100)), .whole(65_500, to: .every(7)), .whole(64, to: .everySecond(64)),
        .whole(361, to: .everySecond(361)), .whole(90, to: .everySecond(361)), .whole(1, to: .everySecond(4)),
        .decoded(size: 1334, sampling: 1, of: 1, eighths: 1, delivered: 167, to: .every(50)),
        .decoded(size: 2007, sampling: 1, of: 2, eighths: 2, delivered: 256, to: .everySecond(361)),
        .decoded(size: 99, sampling: 1, of: 3, eighths: 8, delivered: 40, to: .every(31)),
        .decoded(size: 3, sampling: 1, of: 1, eighths: 1, delivered: 1, to: .every(1)),
    ]

    @Test(arguments: axes)
    func `the weights of every target sample sum to exactly one and read only the picture`(axis: Axis) {
        let filter = FilterWeights(axis)
        for target in 0..<axis.targetCount {
            let taps = Taps(filter, target)
            #expect(taps.weights.values.reduce(0) { $0 + Int($1) } == FilterWeights.one)
            #expect(taps.weights.keys.allSatisfy { (0..<axis.sourceCount).contains($0) })
            #expect(filter.stride % 2 == 0 && filter.starts[target] % 2 == 0, "weighed in pairs")
        }
    }

    @Test(arguments: axes.filter(\.isWhole))
    func `whole extents have exactly mirrored weights`(axis: Axis) {
        let filter = FilterWeights(axis)
        for target in 0..<axis.targetCount {
            let mirrored = Taps(filter, axis.targetCount - 1 - target).weights
            let own = Taps(filter, target).weights.map { (axis.sourceCount - 1 - $0.key, $0.value) }
            #expect(Dictionary(uniqueKeysWithValues: own) == mirrored)
        }
    }

    @Test(arguments: [
        Axis.whole(1, to: .every(1)), .whole(360, to: .every(360)),
        .decoded(size: 361, sampling: 1, of: 2, eighths: 8, delivered: 181, to: .everySecond(361)),
    ])
    func `ratio one is the identity`(axis: Axis) {
        let filter = FilterWeights(axis)
        for target in 0..<axis.targetCount {
            #expect(Taps(filter, target).weights == [target: Int16(FilterWeights.one)])
        }
    }

    @Test func `no ratio from 1 to 700 exceeds the bound that the arithmetic rests on`() {
        var largest = 0
        for source in [1, 2, 3, 5, 17, 100, 101, 355, 700] {
            for target in 1...source where source / target < 40 || target < 4 {
                let filter = FilterWeights(.whole(source, to: .every(target)))
                for index in 0..<target {
                    largest = max(
                        largest, Taps(filter, index).weights.values.reduce(0) { $0 + Int($1.magnitude) })
                }
            }
        }
        // Initialising would have trapped beyond 2; Lanczos-3 itself stays below 1.56.
        #expect(largest < FilterWeights.one * 156 / 100)
        #expect(largest > FilterWeights.one * 120 / 100)
    }

    @Test func `a table is as large as its axis said before it was made`() {
        for axis in Self.axes {
            let filter = FilterWeights(axis)
            let payload = filter.weights.capacity * 2 + filter.starts.capacity * 4 + 64
            let promised = FilterWeights.allocatedBytes(axis)
            #expect(payload <= promised)
            #expect(promised <= payload + 2 * 4096 + 64)
        }
    }

    @Test func `the window is that of the textbook`() {
        let inside = Lanczos.values(SIMD4(0.5, -1.5, 2.5, 2))
        #expect(abs(inside[0] - 0.607_927_101_854_026_7) < 1e-10)
        #expect(abs(inside[1] + 0.135_094_911_523_117_03) < 1e-10)
        #expect(abs(inside[2] - 0.024_317_084_074_161_06) < 1e-10)
        #expect(abs(inside[3]) < 1e-10)
        #expect(Lanczos.values(SIMD4(0, 1e-9, 3, 1e9)) == SIMD4(1, 1, 0, 0))
    }

    /// The weights of one target sample that are not zero, by source sample.
    struct Taps {
        var weights: [Int: Int16] = [:]

        init(_ filter: FilterWeights, _ target: Int) {
            for offset in 0..<filter.stride {
                let weight = filter.weights[target * filter.stride + offset]
                if weight != 0 { weights[Int(filter.starts[target]) + offset] = weight }
            }
        }
    }
}
