/// The weights that turn the source samples of one axis into its target samples: Lanczos-3, widened
/// by the reduction, never sharpened where there is none.
///
/// Fixed point with 14 bits: `one` is 16,384. The weights of each target sample sum to exactly one,
/// so a constant picture stays what it is. Where the extents are whole, those of target i and of
/// target n−1−i are exact mirrors, and at ratio 1 they are the identity.
struct FilterWeights: Sendable {
    static let fractionBits = 14
    static let one = 1 << fractionBits

    /// The bound on Σ|weight| of one target sample on which the resampler's arithmetic rests. The
    /// largest that Lanczos-3 reaches is 1.54; checked for each table when it is made.
    static let absoluteSumBound = 2 * one

    let axis: Axis
    /// The weights kept for each target sample, zeros around included: an even number.
    let stride: Int
    /// The first source sample of each target sample, an even number: samples are weighed in pairs. Target
    /// samples are added up to a multiple of 4, since the column kernel makes four at a time; they have no
    /// weight.
    private(set) var starts: [Int32]
    /// `stride` weights for each start.
    private(set) var weights: [Int16]

    init(_ axis: Axis) {
        self.axis = axis
        stride = Self.stride(axis)
        let count = Self.paddedTargetCount(axis)
        starts = [Int32](repeating: 0, count: count)
        weights = [Int16](repeating: 0, count: count * stride)
        var taps = Taps(axis)
        if axis.isWhole {
            let last = axis.targetCount - 1
            for target in 0...last / 2 {
                taps.compute(target, axis)
                if target == last - target { taps.makeSymmetric(axis) }
                place(taps, at: target)
                taps.mirror(axis)
                place(taps, at: last - target)
            }
        } else if let mirror = axis.forwardMirror {
            for target in 0..<axis.targetCount {
                taps.compute(axis.targetCount - 1 - target, mirror)
                taps.mirror(mirror)
                place(taps, at: target)
            }
        } else {
            for target in 0..<axis.targetCount {
                taps.compute(target, axis)
                place(taps, at: target)
            }
        }
    }

    private mutating func place(_ taps: Taps, at target: Int) {
        let start = taps.start & ~1
        starts[target] = Int32(start)
        let offset = target * stride + taps.start - start
        var absoluteSum = 0
        for index in 0..<taps.count {
            let weight = taps.weights[index]
            absoluteSum += Int(weight.magnitude)
            weights[offset + index] = weight
        }
        precondition(absoluteSum <= Self.absoluteSumBound, "weights too large for exact arithmetic")
    }

    /// The bytes that the weights of an axis take from the process; an upper bound.
    static func allocatedBytes(_ axis: Axis) -> Int {
        let count = paddedTargetCount(axis)
        return SampleMemoryLimits.allocatedBytes(payload: arrayHeader + count * 4)
            + SampleMemoryLimits.allocatedBytes(payload: arrayHeader + count * stride(axis) * 2)
    }

    /// The bytes in front of a Swift array's elements.
    private static let arrayHeader = 32

    /// The weights kept for each target sample of an axis.
    static func stride(_ axis: Axis) -> Int {
        // An odd start moves one down.
        SampleMemoryLimits.roundedUp(min(Taps.limit(axis) + 1, axis.sourceCount), to: 2)
    }

    private static func paddedTargetCount(_ axis: Axis) -> Int {
        SampleMemoryLimits.roundedUp(axis.targetCount, to: 4)
    }
}

/// The weights of one target sample, and where they begin. Its arrays serve one target sample after the
/// other: arrays of their own were a tenth of the time of a small picture.
private struct Taps {
    private(set) var start = 0
    private(set) var count = 0
    /// The first `count` hold.
    private(set) var weights: [Int16]
    private var exact: [Double]

    init(_ axis: Axis) {
        // Symmetry may add one tap.
        let most = Self.limit(axis) + 1
        weights = [Int16](repeating: 0, count: most)
        exact = [Double](repeating: 0, count: most)
    }

    /// The most that any target sample of an axis has: the window is open at both ends.
    static func limit(_ axis: Axis) -> Int {
        min(Int((2 * support(axis)).rounded(.up)), axis.sourceCount)
    }

    /// Half the width of the window, in source samples.
    private static func support(_ axis: Axis) -> Double { Lanczos.support * max(1, axis.ratio) }

    mutating func compute(_ target: Int, _ axis: Axis) {
        let widening = max(1, axis.ratio)
        let support = Self.support(axis)
        let centre = (axis.targetOrigin + Double(target) + 0.5) * axis.ratio
        // Source sample j has its centre at j + 0.5.
        let first = Int((centre - support - 0.5).rounded(.down)) + 1
        // Limited, since the rounding of both ends could let in the two taps where the window is zero.
        let widest = Int((2 * support).rounded(.up))
        let last = min(Int((centre + support - 0.5).rounded(.up)) - 1, first + widest - 1)
        // Positions outside of the picture take its first or last sample, so their weight goes there.
        let edge = axis.sourceCount - 1
        start = min(max(first, 0), edge)
        let end = min(max(last, 0), edge)
        count = end - start + 1
        for index in 0..<count { exact[index] = 0 }
        var position = first
        repeat {
            let centres = Double(position) + SIMD4(0.5, 1.5, 2.5, 3.5)
            let values = Lanczos.values((centres - centre) / widening)
            for lane in 0..<min(4, last + 1 - position) {
                exact[min(max(position + lane, start), end) - start] += values[lane]
            }
            position += 4
        } while position <= last
        round()
    }

    /// To fixed point by rounding the running sum, not each weight: the total is exact by itself, and
    /// what one weight is rounded up, its neighbour is rounded down. That keeps a wide window right,
    /// whose single weights are smaller than the last bit (a reduction by 5,000, say).
    private mutating func round() {
        var sum = 0.0
        for index in 0..<count { sum += exact[index] }
        let scale = Double(FilterWeights.one) / sum
        // A conversion rounds towards zero, and costs nothing beside `rounded()`, which calls the C
        // library; lifted above zero, it rounds half up. Partial sums stay far above −2.
        let lift = 2 * FilterWeights.one
        var running = Double(lift) + 0.5
        var given = lift
        for index in 0..<count {
            running += exact[index] * scale
            let due = Int(running)
            weights[index] = Int16(due - given)
            given = due
        }
    }

    /// The same weights for the mirrored picture.
    mutating func mirror(_ axis: Axis) {
        start = axis.sourceCount - start - count
        for index in 0..<count / 2 { weights.swapAt(index, count - 1 - index) }
    }

    /// The middle sample of an odd number is its own mirror: its right half repeats the left one.
    mutating func makeSymmetric(_ axis: Axis) {
        // The rounding of the ends may have let in or left out a tap where the window is zero.
        let whole = axis.sourceCount - 2 * start
        for index in min(count, whole)..<max(count, whole) { weights[index] = 0 }
        count = whole
        let half = count / 2
        var sides = 0
        for index in 0..<half {
            weights[count - 1 - index] = weights[index]
            sides += 2 * Int(weights[index])
        }
        if count % 2 == 1 {
            weights[half] = Int16(FilterWeights.one - sides)
        } else {
            // Half the weights have half the sum but for the rounding of the exact half.
            let rest = Int16((FilterWeights.one - sides) / 2)
            weights[half - 1] += rest
            weights[half] += rest
        }
    }
}
