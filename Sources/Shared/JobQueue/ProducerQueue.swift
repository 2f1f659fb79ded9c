public import Redis

/// Pushes jobs in bulk and follows a batch.
public struct ProducerQueue: Sendable {
    public let keys: QueueKeys
    private let client: RedisClient
    private let limits: QueueLimits

    public init(_ keys: QueueKeys, client: RedisClient, limits: QueueLimits = QueueLimits()) {
        self.keys = keys
        self.client = client
        self.limits = limits
    }

    /// Jobs that are pushed together or not at all.
    public struct Chunk: Sendable {
        /// Unique in its batch, over all processes that push into it: what makes sending it twice safe.
        public let name: String
        public let jobs: [[UInt8]]

        public init(name: String, jobs: [[UInt8]]) {
            precondition((1...QueueLimits.jobsPerChunk).contains(jobs.count), "a chunk has 1 to 500 jobs")
            self.name = name
            self.jobs = jobs
        }
    }

    public enum Enqueued: Sendable, Equatable {
        case enqueued(waiting: Int)
        /// Pushed before; the answer to that got lost.
        case already(waiting: Int)
        /// The queue would become longer than allowed; nothing of the chunk was pushed, nor of those behind it.
        case full(waiting: Int)
        /// Redis would not take this chunk, or one before it, after it had taken others; nothing of it was pushed.
        case refused(RedisError)
    }

    /// Pushes chunks in their order, all in one round trip, and answers for each. Waits out an outage, also
    /// one that begins between two of them. Throws when Redis would not take the first.
    ///
    /// A chunk that does not fit into `longestQueue`, or that Redis refuses, is not pushed, and none behind it is: what
    /// was pushed is always the beginning.
    public func enqueue(
        _ chunks: [Chunk], batch: String, longestQueue: Int? = nil
    ) async throws(QueueError) -> [Enqueued] {
        let bound = longestQueue.map(String.init) ?? ""
        let lifetime = limits.batchLifetime.wholeSeconds
        func commands(_ chunks: [Chunk], withSource: Bool) -> [RedisCommand] {
            chunks.enumerated().map { index, chunk in
                let before = index == 0 ? "" : chunks[index - 1].name
                return QueueScripts.enqueue.command(
                    keys: keys.shared,
                    arguments: words([batch, chunk.name, bound, lifetime, before]) + chunk.jobs,
                    mayBeReplayed: true, withSource: withSource && index == 0)
            }
        }
        do {
            var withSource = false
            while true {
                let replies = try await client.pipeline(
                    commands(chunks, withSource: withSource), waitsForRedis: true)
                if !withSource, replies.contains(.error(.noScript)) {
                    // The first brings the source, which the others then find: unless Redis forbids it.
                    withSource = true
                } else if !replies.contains(where: Self.isOutage) {
                    return try Self.answers(replies)
                }
                // Sent again whole: what was pushed answers `already`.
            }
        } catch let error as RedisError {
            throw .redis(error)
        } catch let error as QueueError {
            throw error
        } catch {
            preconditionFailure("only these two are thrown above: \(error)")
        }
    }

    private static func isOutage(_ reply: RedisReply) -> Bool {
        if case .error(let error) = reply { error.isOutage } else { false }
    }

    private static func answers(_ replies: [RedisReply]) throws(QueueError) -> [Enqueued] {
        var answers: [Enqueued] = []
        for reply in replies { answers.append(try answer(reply, behind: answers.last)) }
        if case .refused(let error)? = answers.first { throw .redis(error) }
        return answers
    }

    /// - Parameter before: the answer to the chunk before this one, which has stopped it if anything has.
    private static func answer(_ reply: RedisReply, behind before: Enqueued?) throws(QueueError) -> Enqueued {
        if case .error(let error) = reply { return .refused(error) }
        let values = reply.array ?? []
        guard values.count == 2, let waiting = values[1].integer else {
            throw .unexpectedAnswer(to: "enqueue", reply)
        }
        switch (values[0].text, before) {
        case ("enqueued", _): return .enqueued(waiting: waiting)
        case ("already", _): return .already(waiting: waiting)
        case ("full", _): return .full(waiting: waiting)
        case ("behind", .full?): return .full(waiting: waiting)
        case ("behind", .refused(let error)?): return .refused(error)
        default: throw .unexpectedAnswer(to: "enqueue", reply)
        }
    }

    public struct BatchProgress: Sendable, Equatable {
        public var total = 0
        public var finished = 0
        public var failed = 0
        /// Failed jobs by error code.
        public var errors: [String: Int] = [:]

        public var isComplete: Bool { finished + failed >= total }
    }

    /// How far a batch is; all zero for one that is unknown or expired.
    ///
    /// Asks for the fields by name: the hash also names every chunk, thousands for a million jobs.
    public func progress(ofBatch name: String) async throws(QueueError) -> BatchProgress {
        let codes = ErrorCode.allCases.map(\.rawValue)
        var command = RedisCommand(
            "HMGET", keys.batch(name), "total", "finished", "failed", mayBeReplayed: true)
        for code in codes { command.append("error:" + code) }
        let reply: RedisReply
        do { reply = try await client.callWhenUp(command) } catch { throw .redis(error) }
        let values = (reply.array ?? []).map { $0.text.flatMap { Int($0) } ?? 0 }
        guard values.count == 3 + codes.count else { throw .unexpectedAnswer(to: "progress", reply) }
        var progress = BatchProgress(total: values[0], finished: values[1], failed: values[2])
        for (code, count) in zip(codes, values.dropFirst(3)) where count > 0 { progress.errors[code] = count }
        return progress
    }
}

extension ProducerQueue {
    /// Entries of the dead list that are looked at for failures, the latest, in one go. Among the results
    /// they would hide behind thousands that succeeded.
    private static let deadLookedAt = 1_000

    /// The latest failed jobs of a batch, newest first, as far as they are in the end of the dead list:
    /// examples, not a count.
    public func failures(ofBatch name: String, atMost limit: Int) async throws(QueueError) -> [JobResult] {
        let command = RedisCommand(
            "XREVRANGE", keys.dead, "+", "-", "COUNT", String(Self.deadLookedAt), mayBeReplayed: true)
        let reply: RedisReply
        do { reply = try await client.callWhenUp(command) } catch { throw .redis(error) }
        var failures: [JobResult] = []
        for entry in reply.array ?? [] where failures.count < limit {
            guard let failure = Self.failure(entry.array?.last?.array ?? [], ofBatch: name) else { continue }
            failures.append(failure)
        }
        return failures
    }

    /// Nil for a job of another batch, and for an entry that somebody else wrote, or a newer worker with a
    /// new code.
    private static func failure(_ words: [RedisReply], ofBatch name: String) -> JobResult? {
        let fields = Dictionary(
            stride(from: 0, to: words.count - 1, by: 2).map { (words[$0].text ?? "", words[$0 + 1]) },
            uniquingKeysWith: { first, _ in first })
        guard let raw = fields["job"]?.bytes, let error = fields["error"]?.bytes else { return nil }
        let reading = Job.read(raw)
        guard reading.ticket.batch == name else { return nil }
        let source: String? = if case .job(let job) = reading { job.source } else { nil }
        do {
            return JobResult(reading.ticket, source: source, error: try JobFailure(json: error))
        } catch {
            return nil
        }
    }
}

/// Names and whole numbers of a hash's reply; fields with other values are left out.
func pairs(_ reply: RedisReply) -> [(String, Int)] {
    let values = (reply.array ?? []).map { $0.text ?? "" }
    return stride(from: 0, to: values.count - 1, by: 2).compactMap { index in
        summable(values[index + 1]).map { (values[index], $0) }
    }
}

/// A whole number, so far within Int that any sum of counts is, too: anybody may have written it.
func summable(_ text: String) -> Int? { Int(text).map { min(max($0, -1 << 50), 1 << 50) } }
