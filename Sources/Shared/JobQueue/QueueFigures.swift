/// What a renewal counts of the whole queue: the same, whichever worker asks.
public struct QueueFigures: Sendable, Equatable {
    public let waiting: Int
    /// In the lists of all workers that are known.
    public let running: Int
    public let delayed: Int
    public let dead: Int
    /// Whose lease runs.
    public let workers: Int
    /// Jobs that were ever buried because workers kept dying under them.
    public let crashed: Int
    /// The oldest waiting job has been the oldest for at least so long; nil when none waits, or no earlier look
    /// is known.
    public let oldestWaited: Duration?

    /// As renew.lua answers; nil for anything else.
    init?(_ values: [Int]) {
        guard values.count == 7 else { return nil }
        (waiting, running, delayed, dead) = (values[0], values[1], values[2], values[3])
        (workers, crashed) = (values[4], values[5])
        oldestWaited = values[6] < 0 ? nil : .milliseconds(values[6])
    }
}
