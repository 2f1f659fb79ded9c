internal import Failpoints
public import Redis

/// Extends a worker's lease from a thread of its own, without Swift concurrency: decoding on every
/// core must not make a live worker look dead.
public struct LeaseRenewal: Sendable {
    public struct Answer: Sendable, Equatable {
        public let isPaused: Bool
        /// Workers whose lease is over, and so may hold jobs to reclaim.
        public let expiredWorkers: Int
        /// Until the next delayed job is due; nil when none is delayed.
        public let nextDue: Duration?
        /// Jobs that others took from this worker since the last renewal: it was thought dead.
        public let jobsLost: Int
        /// Until the next renewal, a job that comes by a blocking move may be one that workers died under:
        /// see `WorkerQueue.crashes(of:)`.
        public let mayHaveSuspects: Bool
        /// Nil when not asked for, or when the Redis user may not look.
        public var figures: QueueFigures?
    }

    private let keys: QueueKeys
    private let worker: WorkerID
    private let limits: QueueLimits

    public init(_ keys: QueueKeys, worker: WorkerID, limits: QueueLimits = QueueLimits()) {
        self.keys = keys
        self.worker = worker
        self.limits = limits
    }

    /// How often to renew: three renewals may fail before the lease is over.
    public var interval: Duration { limits.lease / 4 }

    /// One attempt; blocks for at most the client's limits. `info` is what operators see of the worker;
    /// `countsQueue` asks for figures of the whole queue, which takes a step for each worker that is known.
    public func renew(
        on client: BlockingRedisClient, info: [(String, String)] = [], countsQueue: Bool = false
    ) throws(QueueError) -> Answer {
        let reply: RedisReply
        Failpoint.reach(before: QueueScripts.renew.name)
        do {
            reply = try client.run(
                QueueScripts.renew, keys: keys.shared + [keys.list(of: worker)],
                arguments: arguments(info, countsQueue: countsQueue),
                mayBeReplayed: true)
        } catch {
            throw .redis(error)
        }
        Failpoint.reach(after: QueueScripts.renew.name)
        return try answer(reply)
    }

    func arguments(_ info: [(String, String)], countsQueue: Bool = false) -> [[UInt8]] {
        words([worker, limits.lease.milliseconds, limits.infoLifetime.wholeSeconds])
            + words([countsQueue ? "\(OperatorQueue.watchLifetime.wholeSeconds)" : ""])
            + words(info.flatMap { [$0.0, $0.1] })
    }

    func answer(_ reply: RedisReply) throws(QueueError) -> Answer {
        let values = (reply.array ?? []).compactMap(\.integer)
        guard values.count == 5 else { throw .unexpectedAnswer(to: "renew", reply) }
        return Answer(
            isPaused: values[0] == 1, expiredWorkers: values[1],
            nextDue: values[2] < 0 ? nil : .milliseconds(values[2]), jobsLost: values[3],
            mayHaveSuspects: values[4] == 1,
            figures: QueueFigures((reply.array?.last?.array ?? []).compactMap(\.integer)))
    }
}
