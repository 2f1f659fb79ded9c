/// How often which values occurred: counts between fixed bounds, and the sum of all.
public struct Histogram: Sendable, Equatable {
    /// Ascending; a value belongs to the first bound that it does not pass.
    public let bounds: [Double]
    /// One a bound, and one for what passes all of them.
    private var counts: [UInt64]
    public private(set) var sum = 0.0

    /// Traps on bounds that do not ascend, or are not finite.
    public init(bounds: [Double]) {
        precondition(
            bounds.allSatisfy(\.isFinite) && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 },
            "bounds of a histogram ascend")
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts a value. What is no number is passed over: it would spoil the sum for ever.
    public mutating func observe(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    public var count: UInt64 { counts.reduce(0, +) }

    /// Each bound with the number of values up to it, the last one infinity.
    var cumulative: [(bound: Double, count: UInt64)] {
        var total: UInt64 = 0
        return zip(bounds + [.infinity], counts).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}
