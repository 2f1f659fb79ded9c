internal import Failpoints
public import Redis

/// The moves of one worker: one method a script.
///
/// Every method is one round trip. Those that settle a job wait out an outage of Redis; the script's
/// fence makes that safe, since it does nothing for a job that is no longer this worker's. Without
/// ownership there is no fence: a move whose answer got lost is not sent again, and throws.
public struct WorkerQueue: Sendable {
    /// Whether claimed jobs stay in Redis until they are settled.
    public enum Ownership: Sendable {
        /// In the worker's list: at least once.
        case list
        /// Only in the worker, after a plain BRPOP: at most once.
        case none
    }

    public let keys: QueueKeys
    public let worker: WorkerID
    public let limits: QueueLimits
    public let ownership: Ownership
    private let claims: RedisClient
    let moves: RedisClient

    /// `claims` blocks while it waits for jobs, so nothing else may use it; `moves` does the rest.
    public init(
        _ keys: QueueKeys, worker: WorkerID, claims: RedisClient, moves: RedisClient,
        limits: QueueLimits = QueueLimits(), ownership: Ownership = .list
    ) {
        self.keys = keys
        self.worker = worker
        self.claims = claims
        self.moves = moves
        self.limits = limits
        self.ownership = ownership
    }

    // MARK: claim

    /// A job now in the worker's list. `crashes` counts workers that died under it before: such a job
    /// comes alone, and is best run alone.
    public struct Claimed: Sendable, Equatable {
        public let raw: [UInt8]
        public let crashes: Int
    }

    public enum ClaimAnswer: Sendable, Equatable {
        case jobs([Claimed])
        /// The oldest is too long for a job. It is in the worker's list, where `claimedHere` buries it.
        case tooLong
        case empty
        case paused
        /// The lease is over: renew it before claiming.
        case leaseLapsed
    }

    /// Takes up to `limit` jobs that wait, oldest first, without blocking.
    ///
    /// After an ambiguous failure jobs may lie in the worker's list that nobody knows: see `claimedHere`.
    public func claim(limit: Int) async throws(QueueError) -> ClaimAnswer {
        let most = min(max(limit, 1), QueueLimits.jobsPerClaim)
        let reply = try await run(
            QueueScripts.claim, on: claims, words([worker, most, limits.lease.milliseconds]),
            mayBeReplayed: false, waits: true)
        var values = (reply.array ?? [])[...]
        switch values.popFirst()?.text {
        case "empty": return .empty
        case "too_long": return .tooLong
        case "paused": return .paused
        case "lapsed": return .leaseLapsed
        case "jobs":
            var jobs: [Claimed] = []
            while let raw = values.popFirst()?.bytes, let crashes = values.popFirst()?.integer {
                jobs.append(Claimed(raw: raw, crashes: crashes))
            }
            guard values.isEmpty else { throw .unexpectedAnswer(to: "claim", reply) }
            return .jobs(jobs)
        default: throw .unexpectedAnswer(to: "claim", reply)
        }
    }

    /// Sleeps until a job comes or the time is over, and takes that one: `BLMOVE`. Nil when none came.
    ///
    /// At maxmemory Redis refuses it (`outOfMemory`): poll with `claim` then. Not aware of a pause. What is too
    /// long to be read (`replyTooLong`) lies in the list all the same, where `claimedHere` buries it.
    public func wait(atMost limit: Duration) async throws(QueueError) -> [UInt8]? {
        let seconds = "\(Double(max(limit.milliseconds, 1)) / 1000)"
        return try await popped(
            RedisCommand(
                "BLMOVE", keys.queue, keys.list(of: worker), "RIGHT", "LEFT", seconds, blocksFor: limit)
        ).bytes
    }

    /// Sleeps until a job comes and takes it out of Redis: `BRPOP`, which loses it if this process dies.
    public func popUnsafely(atMost limit: Duration) async throws(QueueError) -> [UInt8]? {
        let seconds = "\(Double(max(limit.milliseconds, 1)) / 1000)"
        return try await popped(RedisCommand("BRPOP", keys.queue, seconds, blocksFor: limit)).array?.last?
            .bytes
    }

    /// Ends a `wait` under way at once; a job it has just taken is still returned by it.
    /// False when nothing was waiting.
    public func stopWaiting() async throws(QueueError) -> Bool {
        guard let number = claims.connectionID else { return false }
        do {
            return try await moves.call(RedisCommand("CLIENT", "UNBLOCK", String(number))).integer == 1
        } catch {
            throw .redis(error)
        }
    }

    public struct Held: Sendable, Equatable {
        /// Oldest first.
        public let jobs: [[UInt8]]
        /// What was buried, since it is too long for a job.
        public let buried: [TooLong]
    }

    /// What somebody pushed that is too long for a job: `bytes` of it.
    public struct TooLong: Sendable, Equatable {
        public let id: String
        public let bytes: Int
        public let attempt: Int
    }

    /// The jobs in this worker's list, known to it or not. What is too long for one is buried on the way, and its
    /// bytes stay in Redis: a worker has no room for them.
    public func claimedHere() async throws(QueueError) -> Held {
        let arguments = words([worker, limits.results, limits.batchLifetime.wholeSeconds, limits.dead])
        let reply = try await run(
            QueueScripts.held, on: moves, arguments, mayBeReplayed: true, waits: true)
        guard let parts = reply.array, parts.count == 2, let jobs = parts[0].array,
            let facts = parts[1].array,
            facts.count % 3 == 0
        else { throw .unexpectedAnswer(to: "held", reply) }
        let buried = stride(from: 0, to: facts.count, by: 3).map { index in
            TooLong(
                id: facts[index].text ?? "", bytes: facts[index + 1].integer ?? 0,
                attempt: facts[index + 2].integer ?? 0)
        }
        return Held(jobs: jobs.compactMap(\.bytes), buried: buried)
    }

    /// How many workers died under a job that is not settled. `claim` tells by itself; a blocking move
    /// cannot, so ask after one whenever the last renewal's `mayHaveSuspects` says so.
    public func crashes(of job: JobTicket) async throws(QueueError) -> Int {
        let command = RedisCommand("HGET", keys.attempts, job.id, mayBeReplayed: true)
        do {
            // "failed crashed", as prelude.lua writes it.
            let counts = try await moves.callWhenUp(command).text?.split(separator: " ")
            return counts?.last.flatMap { Int($0) } ?? 0
        } catch {
            throw .redis(error)
        }
    }

    private func popped(_ command: RedisCommand) async throws(QueueError) -> RedisReply {
        do {
            await Failpoint.beforeWait.reach()
            let reply = try await claims.callWhenUp(command)
            if reply != .null { await Failpoint.afterWait.reach() }
            return reply
        } catch {
            throw .redis(error)
        }
    }

    // MARK: settle

    public enum Settled: Sendable, Equatable {
        case finished(attempt: Int)
        case buried(attempt: Int)
        case retried(attempt: Int, delay: Duration)
        case released
        /// The job is no longer this worker's, or an earlier sending of this very move settled it:
        /// nothing was published now.
        case stale
    }

    /// The job is done: publishes the result.
    public func finish(_ job: JobTicket, _ result: JobResult) async throws(QueueError) -> Settled {
        precondition(result.error == nil, "a finished job has no error")
        let arguments = settling(job, result)
        return try await settle(QueueScripts.finish, arguments)
    }

    /// The job can never succeed: keeps its bytes in the dead stream and publishes the failure.
    public func bury(_ job: JobTicket, _ result: JobResult) async throws(QueueError) -> Settled {
        try await settle(QueueScripts.bury, settling(job, result) + failing(result))
    }

    /// Another attempt may succeed: the job waits, or is buried after its last attempt.
    public func retry(
        _ job: JobTicket, _ result: JobResult, backoff: Backoff = Backoff(),
        using generator: inout some RandomNumberGenerator
    ) async throws(QueueError) -> Settled {
        // The script knows how many attempts there were, the caller does not: it gets a pause for each.
        var delays: [Int] = []
        for failures in 1..<max(limits.attempts, 2) {
            delays.append(backoff.delay(afterFailures: failures, using: &generator).milliseconds)
        }
        let arguments = settling(job, result) + failing(result) + words([limits.attempts]) + words(delays)
        return try await settle(QueueScripts.retry, arguments)
    }

    /// Gives the job back without counting an attempt: to be served next, or last after a delay.
    public func release(_ job: JobTicket, after delay: Duration? = nil) async throws(QueueError) -> Settled {
        let pause = delay.map { String($0.milliseconds) } ?? ""
        return try await settle(
            QueueScripts.release, words([worker, owned]) + [job.raw] + words([pause]))
    }

    private var owned: String { ownership == .list ? "1" : "0" }

    private func settling(_ job: JobTicket, _ result: JobResult) -> [[UInt8]] {
        words([worker, owned]) + [job.raw] + words([job.id, job.batch ?? ""]) + [jsonText(result)]
            + words([limits.results, limits.batchLifetime.wholeSeconds])
    }

    private func failing(_ result: JobResult) -> [[UInt8]] {
        guard let error = result.error else { preconditionFailure("a failed job has an error") }
        return words([limits.dead, error.code.rawValue]) + [jsonText(error)]
    }

    private func settle(_ script: RedisScript, _ arguments: [[UInt8]]) async throws(QueueError) -> Settled {
        let reply = try await run(
            script, on: moves, arguments, mayBeReplayed: ownership == .list, waits: true)
        let values = reply.array ?? []
        switch (values.first?.text, values.dropFirst().first?.integer) {
        case ("finished", let attempt?): return .finished(attempt: attempt)
        case ("buried", let attempt?): return .buried(attempt: attempt)
        case ("retried", let attempt?):
            return .retried(attempt: attempt, delay: .milliseconds(values.last?.integer ?? 0))
        case ("released", nil): return .released
        case ("stale", nil): return .stale
        default: throw .unexpectedAnswer(to: script.name, reply)
        }
    }

    func run(
        _ script: RedisScript, on client: RedisClient, _ arguments: [[UInt8]], mayBeReplayed: Bool,
        waits: Bool
    ) async throws(QueueError) -> RedisReply {
        do {
            await Failpoint.reach(before: script.name)
            let reply = try await client.run(
                script, keys: keys.shared + [keys.list(of: worker)], arguments: arguments,
                mayBeReplayed: mayBeReplayed, waitsForRedis: waits)
            await Failpoint.reach(after: script.name)
            return reply
        } catch {
            throw .redis(error)
        }
    }
}
