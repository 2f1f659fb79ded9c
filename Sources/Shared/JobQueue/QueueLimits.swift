/// Every limit of the queue, with its reason.
public struct QueueLimits: Sendable {
    /// A worker that is silent this long has lost its jobs. Renewed every quarter of it, so that three
    /// renewals may fail; with the reaper's pace a job runs again within 15 s.
    public var lease = Duration.seconds(10)
    /// A worker's info is deleted with the worker's lease, when its jobs are reclaimed. While no worker lives
    /// to do so it tells for days which machine died.
    public var infoLifetime = Duration.seconds(7 * 24 * 3600)
    /// How long an expired worker stays known after its lease: a pop that was blocked when it froze may
    /// still be served, and lasts a few seconds at most.
    public var expiredWorkerLifetime = Duration.seconds(60)
    /// Retryable failures until a job is buried. Jobs with one id share their attempts, here and below.
    public var attempts = 5
    /// Workers that may die under a job until it is buried.
    public var crashes = 3
    /// Streams are trimmed about here: at some 600 bytes an entry, 60 MB and 6 MB.
    public var results = 100_000
    public var dead = 10_000
    /// A batch is asked about for days, not for ever.
    public var batchLifetime = Duration.seconds(7 * 24 * 3600)
    /// Steps of the housekeeping scripts: each stays within a few milliseconds of Redis' one thread.
    public var workersPerReclaim = 10
    public var jobsPerReclaim = 100
    public var jobsPerPromote = 100

    /// Lua's unpack holds some 8,000 values; 500 already make the round trip cheap.
    public static let jobsPerChunk = 500
    /// Jobs of one claim; a worker claims what it can start.
    public static let jobsPerClaim = 100
    /// Bytes of one job; checked before it is parsed.
    public static let jobBytes = 64 << 10
    /// Bytes of one string that a worker reads of an answer to a claim: a job and room to spare. Whatever somebody
    /// pushes, no more of it gets into a worker's memory.
    public static let longestClaim = 2 * jobBytes

    public init() {}
}

extension Duration {
    var milliseconds: Int { Int(clamping: Int64((self / .milliseconds(1)).rounded())) }
    var wholeSeconds: Int { max(1, Int(clamping: components.seconds)) }
}
