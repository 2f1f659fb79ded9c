import Geometry
@testable import Pixels
import Testing

/// The resampler against its definition, `round(Σy Σx wy · wx · p)`, bit for bit.
@Suite struct ResamplerExactnessTests {
    static let shapes: [(Int, Int, Int, Int)] = [
        (37, 29, 11, 9), (64, 48, 23, 17), (100, 3, 7, 3), (3, 100, 3, 7), (33, 34, 33, 34), (41, 40, 40, 39),
        (16, 16, 5, 5), (1, 1, 1, 1), (129, 70, 4, 1),
    ]

    @Test(arguments: shapes)
    func `eight-bit samples are the rounded double sum`(shape: (Int, Int, Int, Int)) {
        let (width, height, targetWidth, targetHeight) = shape
        let axes = (Axis.whole(width, to: .every(targetWidth)), Axis.whole(height, to: .every(targetHeight)))
        let plane = noise(width: width, height: height, seed: 1)
        let expected = exact(samples(plane).map(Int.init), width: width, axes.0, axes.1, highest: 255)
        #expect(samples(resampled(plane, horizontal: axes.0, vertical: axes.1)).map(Int.init) == expected)
    }

    @Test(arguments: shapes)
    func `sixteen-bit samples are the rounded double sum`(shape: (Int, Int, Int, Int)) {
        let (width, height, targetWidth, targetHeight) = shape
        let axes = (Axis.whole(width, to: .every(targetWidth)), Axis.whole(height, to: .every(targetHeight)))
        var random = SplitMix(state: 2)
        let plane = makePlane(width: width, height: height) { _, _ in
            UInt16(truncatingIfNeeded: random.next())
        }
        let expected = exact(samples(plane).map(Int.init), width: width, axes.0, axes.1, highest: 65_535)
        #expect(samples(resampled(plane, horizontal: axes.0, vertical: axes.1)).map(Int.init) == expected)
    }

    @Test(arguments: [(40, 31), (41, 40), (100, 33), (9, 2), (12, 12), (10, 20)])
    func `the largest and smallest sums that any picture can reach do not overflow`(lengths: (Int, Int)) {
        // White where a target sample's weight is positive and black elsewhere, and the reverse.
        let axis = Axis.whole(
            lengths.0, to: lengths.1 <= lengths.0 ? .every(lengths.1) : .everySecond(2 * lengths.1))
        let filter = FilterWeights(axis)
        for target in 0..<axis.targetCount {
            var weights = [Int](repeating: 0, count: axis.sourceCount)
            for offset in 0..<filter.stride where filter.weights[target * filter.stride + offset] != 0 {
                weights[Int(filter.starts[target]) + offset] = Int(
                    filter.weights[target * filter.stride + offset])
            }
            for sign in [1, -1] {
                let isWhite = { (x: Int, y: Int) in sign * weights[x] * weights[y] > 0 }
                let small = makePlane(width: lengths.0, height: lengths.0) { isWhite($0, $1) ? UInt8.max : 0 }
                let large = makePlane(width: lengths.0, height: lengths.0) {
                    isWhite($0, $1) ? UInt16.max : 0
                }
                let expected = exact(samples(small).map(Int.init), width: lengths.0, axis, axis, highest: 255)
                #expect(samples(resampled(small, horizontal: axis, vertical: axis)).map(Int.init) == expected)
                let expectedLarge = exact(
                    samples(large).map(Int.init), width: lengths.0, axis, axis, highest: 65_535)
                #expect(
                    samples(resampled(large, horizontal: axis, vertical: axis)).map(Int.init) == expectedLarge
                )
            }
        }
    }

    @Test(arguments: [(97, 61, 31, 20), (40, 100, 13, 37), (64, 64, 21, 21)])
    func `transposing the source transposes the result`(shape: (Int, Int, Int, Int)) {
        let source = noise(width: shape.0, height: shape.1, seed: 3)
        let transposed = noise(width: shape.0, height: shape.1, seed: 3).reoriented(.leftMirrored)
        let result = resampled(source, to: shape.2, shape.3).reoriented(.leftMirrored)
        #expect(samples(resampled(transposed, to: shape.3, shape.2)) == samples(result))
    }

    @Test(arguments: [Axis.Target.every(47), .everySecond(47)])
    func `transposing holds for real-valued extents, too`(target: Axis.Target) {
        let wide = Axis.decoded(size: 1334, sampling: 1, of: 1, eighths: 1, delivered: 168, to: target)
        let high = Axis.decoded(size: 1001, sampling: 1, of: 1, eighths: 1, delivered: 126, to: .every(30))
        let source = noise(width: 168, height: 126, seed: 4)
        let transposed = noise(width: 168, height: 126, seed: 4).reoriented(.leftMirrored)
        let result = resampled(source, horizontal: wide, vertical: high).reoriented(.leftMirrored)
        #expect(samples(resampled(transposed, horizontal: high, vertical: wide)) == samples(result))
    }

    private func exact(_ samples: [Int], width: Int, _ horizontal: Axis, _ vertical: Axis, highest: Int)
        -> [Int]
    {
        let columns = FilterWeights(horizontal)
        let rows = FilterWeights(vertical)
        var result: [Int] = []
        for y in 0..<vertical.targetCount {
            for x in 0..<horizontal.targetCount {
                var sum = 0
                for j in 0..<rows.stride where rows.weights[y * rows.stride + j] != 0 {
                    for i in 0..<columns.stride where columns.weights[x * columns.stride + i] != 0 {
                        let sample = samples[(Int(rows.starts[y]) + j) * width + Int(columns.starts[x]) + i]
                        sum +=
                            Int(rows.weights[y * rows.stride + j])
                            * Int(columns.weights[x * columns.stride + i]) * sample
                    }
                }
                result.append(max(0, min(highest, (sum + 1 << 27) >> 28)))
            }
        }
        return result
    }
}
