internal import Units

/// An amount of bytes summed up over time. Of two looks, the difference of the sums over the time between is what
/// was held on average, also of what came and went between them.
struct ByteTime {
    typealias Instant = ContinuousClock.Instant

    /// Byte-seconds up to `since`.
    private var settled = 0.0
    private var amount = ByteCount.zero
    private var since: Instant

    /// Nothing, from `start` on.
    init(start: Instant) {
        since = start
    }

    /// From `now` on the amount is another.
    mutating func change(to amount: ByteCount, at now: Instant) {
        settled = sum(at: now)
        (self.amount, since) = (amount, now)
    }

    /// Byte-seconds from the start to `now`, which is not before the last change.
    func sum(at now: Instant) -> Double {
        settled + Double(amount.bytes) * (since.duration(to: now) / .seconds(1))
    }
}
