/// How long the client waits for what. Together they keep "Redis answers again" and "work goes on" at
/// most two seconds apart: one attempt under way plus one pause.
public struct RedisLimits: Sendable {
    /// One attempt to connect. A lost SYN is sent again after a second, so longer gains little.
    public var connect = Duration.seconds(1)
    /// Greeting after connecting: a frozen server accepts connections and then says nothing.
    public var handshake = Duration.seconds(1)
    /// An ordinary call. Scripts take microseconds; this is for a server that hangs.
    public var call = Duration.seconds(5)
    /// How much later than its own time-out the answer to a blocking command may come.
    public var blockingSlack = Duration.seconds(2)
    /// Pauses between attempts grow from the first to the second, with full jitter.
    public var shortestPause = Duration.milliseconds(50)
    public var longestPause = Duration.seconds(1)
    /// The second of them where sentinels are asked: they name a new primary up to a second after it is one.
    public var longestPauseBetweenSearches = Duration.milliseconds(500)
    /// Bytes sent as one pipeline before its answers are read.
    public var pipelineBytes = 4 << 20

    /// Bytes of the longest string in an answer: at more the connection is given up (`replyTooLong`), with no more
    /// than that read. Nil: as long as Redis sends.
    public var longestString: Int?

    public init() {}

    /// - Parameter jitter: how much of the longest pause to take, by chance: 0 ..< 1.
    func pause(afterFailures count: Int, isSearching: Bool, jitter: Double) -> Duration {
        let doubled = shortestPause * (1 << min(max(count, 1) - 1, 16))
        let most = min(
            isSearching ? min(longestPause, longestPauseBetweenSearches) : longestPause, doubled * 2)
        return shortestPause + (most - shortestPause) * jitter
    }
}
