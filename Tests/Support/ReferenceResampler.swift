import Glibc

/// The resampler as a textbook has it: Lanczos-3 over whole planes in Double, nothing rounded. What
/// the fast one must agree with; it shares no code with it.
public enum ReferenceResampler {
    /// One axis: target sample i has its centre at `(i + 0.5) · sourceExtent / targetExtent`.
    public struct Axis: Sendable {
        public var sourceExtent: Double
        public var targetExtent: Double
        public var targetCount: Int

        public init(sourceExtent: Double, targetExtent: Double, targetCount: Int) {
            self.sourceExtent = sourceExtent
            self.targetExtent = targetExtent
            self.targetCount = targetCount
        }

        public static func whole(_ source: Int, to target: Int) -> Axis {
            Axis(sourceExtent: Double(source), targetExtent: Double(target), targetCount: target)
        }
    }

    /// - Parameters:
    ///   - samples: row after row, `width` samples each, which may be more than the extent covers.
    /// - Returns: the target's samples, row after row, neither rounded nor clamped.
    public static func resample(
        _ samples: [Double], width: Int, horizontal: Axis, vertical: Axis
    ) -> [Double] {
        let columns = weights(horizontal)
        let rows = weights(vertical)
        var result: [Double] = []
        result.reserveCapacity(rows.count * columns.count)
        var sums = [Double](repeating: 0, count: width)
        for row in rows {
            for x in 0..<width { sums[x] = 0 }
            for (offset, weight) in row.weights.enumerated() {
                let start = (row.start + offset) * width
                for x in 0..<width { sums[x] += weight * samples[start + x] }
            }
            for column in columns {
                var sum = 0.0
                for (offset, weight) in column.weights.enumerated() {
                    sum += weight * sums[column.start + offset]
                }
                result.append(sum)
            }
        }
        return result
    }

    private struct Taps {
        var start: Int
        var weights: [Double]
    }

    private static func weights(_ axis: Axis) -> [Taps] {
        let ratio = axis.sourceExtent / axis.targetExtent
        let widening = max(1, ratio)
        let last = Int(axis.sourceExtent.rounded(.up)) - 1
        return (0..<axis.targetCount).map { target in
            let centre = (Double(target) + 0.5) * axis.sourceExtent / axis.targetExtent
            let first = Int((centre - 3 * widening).rounded(.down)) - 1
            let end = Int((centre + 3 * widening).rounded(.up)) + 1
            let start = min(max(first, 0), last)
            var weights = [Double](repeating: 0, count: min(max(end, 0), last) - start + 1)
            for position in first...end {
                // Positions outside of the picture take its first or last sample.
                weights[min(max(position, 0), last) - start] += lanczos(
                    (Double(position) + 0.5 - centre) / widening)
            }
            let sum = weights.reduce(0, +)
            return Taps(start: start, weights: weights.map { $0 / sum })
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= 3 { return 0 }
        let angle = Double.pi * x
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
