/// A job as a test makes it: its bytes, and under which names every script must count them.
public struct ModelJob: Sendable, Hashable {
    public let raw: [UInt8]
    public let id: String
    public let batch: String?

    public init(raw: [UInt8], id: String, batch: String? = nil) {
        (self.raw, self.id, self.batch) = (raw, id, batch)
    }
}

/// Everything that anybody may do to a queue, and what happens by itself.
public enum Move: Sendable, Equatable {
    /// A plain LPUSH.
    case push(ModelJob)
    case enqueue([ModelJob], batch: String, chunk: String, longestQueue: Int?)
    case claim(worker: String, limit: Int)
    /// A worker's blocking move; it runs no script. Only a worker that has had a lease makes one.
    case blockingMove(worker: String)
    /// BRPOP, by a worker that keeps no list.
    case pop
    /// A worker looks what its list holds.
    case lookAtList(worker: String)
    case settle(Settling, ModelJob, worker: String)
    /// Of a job that came by `pop`.
    case settlePopped(Settling, ModelJob)
    case renew(worker: String)
    case reclaim
    case promote
    case deregister(worker: String)
    case pause
    case resume
    case audit
    /// An operator decides about dead jobs: those at these places of the dead list, oldest first. A place
    /// beyond its end is a job that another operator was quicker with.
    case retryDead([Int])
    case discardDead([Int])
    /// Somebody deletes a worker's lease.
    case deleteLease(worker: String)
    /// Lists without a lease are looked for.
    case sweep
    /// Time passes.
    case advance(milliseconds: Int)
    /// A worker falls silent for longer than its lease.
    case silence(worker: String)

    public enum Settling: Sendable, Equatable {
        case finish
        case bury
        /// Milliseconds until the next attempt.
        case retry(pause: Int)
        /// Milliseconds at the left end, or at once at the right end.
        case release(pause: Int?)
    }

    /// The error code that tests bury and retry with.
    public static let buriedCode = "not_an_image"
    public static let retriedCode = "internal"
}

/// What a move answers.
public enum Outcome: Sendable, Equatable {
    case nothing
    case enqueued(waiting: Int)
    case alreadyEnqueued(waiting: Int)
    case full(waiting: Int)
    case claimed([Claimed])
    case empty
    case paused
    case leaseLapsed
    case moved([UInt8])
    case held([[UInt8]])
    case finished(attempt: Int)
    case buried(attempt: Int)
    case retried(attempt: Int, pause: Int)
    case released
    case stale
    case renewed(isPaused: Bool, expiredWorkers: Int, nextDue: Int?, jobsLost: Int, mayHaveSuspects: Bool)
    case reclaimed(requeued: Int, buried: Int, forgotten: Int, isCut: Bool)
    case promoted(Int, nextDue: Int?)
    case left(Bool)
    case decided(done: Int, gone: Int)
    /// Sorted.
    case swept([String])
    case audited(waiting: Int, delayed: Int, running: Int, taken: Int, missing: Int)
    /// The move makes no sense now, such as to settle a popped job that nobody has; it is not made.
    case impossible

    public struct Claimed: Sendable, Equatable {
        public let raw: [UInt8]
        public let crashes: Int

        public init(raw: [UInt8], crashes: Int) { (self.raw, self.crashes) = (raw, crashes) }
    }
}

extension Move: CustomStringConvertible {
    public var description: String {
        switch self {
        case .push(let job): "push \(job)"
        case .enqueue(let jobs, let batch, let chunk, let longest):
            "enqueue \(jobs) in \(batch), chunk \(chunk), at most \(longest.map(String.init) ?? "any")"
        case .claim(let worker, let limit): "\(worker): claim \(limit)"
        case .blockingMove(let worker): "\(worker): blocking move"
        case .pop: "pop"
        case .lookAtList(let worker): "\(worker) looks at its list"
        case .settle(let settling, let job, let worker): "\(worker): \(settling) \(job)"
        case .settlePopped(let settling, let job): "popped: \(settling) \(job)"
        case .renew(let worker): "\(worker): renew"
        case .reclaim: "reclaim"
        case .promote: "promote"
        case .deregister(let worker): "\(worker): deregister"
        case .pause: "pause"
        case .resume: "resume"
        case .audit: "audit"
        case .retryDead(let places): "retry dead jobs \(places)"
        case .discardDead(let places): "discard dead jobs \(places)"
        case .deleteLease(let worker): "\(worker)'s lease is deleted"
        case .sweep: "sweep"
        case .advance(let milliseconds): "\(milliseconds) ms pass"
        case .silence(let worker): "\(worker) falls silent"
        }
    }
}

extension ModelJob: CustomStringConvertible {
    public var description: String { String(decoding: raw, as: UTF8.self).debugDescription }
}
