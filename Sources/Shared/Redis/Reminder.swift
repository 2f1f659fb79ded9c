/// Which occurrences of a lasting trouble are worth a line: the first of each cause, and one each interval
/// while it goes on. A pure value; the time is handed in.
public struct Reminder<Cause: Hashable & Sendable>: Sendable {
    /// Often enough for whoever comes to look at the log, seldom enough to be read.
    public static var interval: Duration { .seconds(30) }

    private var told: [Cause: ContinuousClock.Instant] = [:]

    public init() {}

    /// True when this occurrence is to be told; it then counts as told.
    public mutating func isDue(_ cause: Cause, at now: ContinuousClock.Instant) -> Bool {
        // What is over does not stay, however many causes there are in the life of a process.
        told = told.filter { now - $0.value < Self.interval }
        guard told[cause] == nil else { return false }
        told[cause] = now
        return true
    }
}
