import Redis

/// A buried job as the dead stream keeps it.
public struct DeadJob: Sendable, Equatable {
    /// The entry's id: unique, and its first part is when the job was buried, in ms since 1970.
    public let entry: String
    /// The job's id; several entries may have the same.
    public let id: String
    public let code: String
    public let attempts: Int?
    /// As it was pushed; nil for an entry that somebody else wrote.
    public let raw: [UInt8]?
    /// A JSON object, as text.
    public let error: String

    /// Milliseconds since 1970, by Redis' clock.
    public var buriedAt: Int64 { Int64(entry.prefix { $0 != "-" }) ?? 0 }

    /// Nil when the error is no JSON of ours.
    public var failure: JobFailure? {
        do { return try JobFailure(json: Array(error.utf8)) } catch { return nil }
    }

    /// Nil for bytes that are no valid job.
    public var source: String? {
        guard let raw, case .job(let job) = Job.read(raw) else { return nil }
        return job.source
    }

    public var batch: String? { raw.flatMap { Job.read($0).ticket.batch } }

    init?(_ reply: RedisReply) {
        guard let (entry, fields) = streamEntry(reply) else { return nil }
        self.entry = entry
        id = fields["id"]?.text ?? ""
        code = fields["code"]?.text ?? ""
        attempts = fields["attempts"]?.text.flatMap { Int($0) }
        raw = fields["job"]?.bytes
        error = fields["error"]?.text ?? ""
    }
}

extension OperatorQueue {
    /// Entries of one page: with jobs of 64 KiB, 6 MB.
    private static let pageSize = 100

    /// When, in ms since 1970 by Redis' clock, both ends included.
    public struct Period: Sendable, Equatable {
        public var from: Int64?
        public var to: Int64?

        public init(from: Int64? = nil, to: Int64? = nil) { (self.from, self.to) = (from, to) }
    }

    /// Looks at dead jobs, the newest first, until `look` returns false.
    public func forEachDead(
        in period: Period = Period(), _ look: (DeadJob) -> Bool
    ) async throws(QueueError) {
        var end = period.to.map { "\($0)" } ?? "+"
        while true {
            let reply = try await call(
                RedisCommand(
                    "XREVRANGE", keys.dead, end, period.from.map { "\($0)" } ?? "-", "COUNT",
                    "\(Self.pageSize)", mayBeReplayed: true))
            let entries = reply.array ?? []
            for entry in entries {
                guard let job = DeadJob(entry) else { throw .unexpectedAnswer(to: "XREVRANGE", reply) }
                guard look(job) else { return }
                end = "(" + job.entry
            }
            if entries.count < Self.pageSize { return }
        }
    }

    /// The dead jobs that a text names: the one entry with this id, else all jobs with it, newest first.
    public func dead(named name: String) async throws(QueueError) -> [DeadJob] {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts.allSatisfy({ UInt64($0) != nil }) {
            let reply = try await call(RedisCommand("XRANGE", keys.dead, name, name, mayBeReplayed: true))
            if let job = reply.array?.first.flatMap({ DeadJob($0) }) { return [job] }
        }
        var found: [DeadJob] = []
        try await forEachDead { job in
            // Byte by byte: to Swift, an é in one sign and one in two are equal.
            if job.id.utf8.elementsEqual(name.utf8) { found.append(job) }
            return true
        }
        return found
    }

    /// What became of dead jobs that an operator decided about.
    public struct Decided: Sendable, Equatable {
        public var done = 0
        /// Another operator was faster, the stream's cap cut them off, or an answer got lost.
        public var gone = 0
        /// Entries without a job, which stay.
        public var unusable = 0

        public init() {}

        public static func + (left: Decided, right: Decided) -> Decided {
            var sum = left
            sum.done += right.done
            sum.gone += right.gone
            sum.unusable += right.unusable
            return sum
        }
    }

    /// Entries of one call of `retryDead` or `discardDead`.
    public static let deadPerCall = 100

    /// Puts dead jobs back behind what waits, each exactly once however many operators ask for it: they leave
    /// the dead stream in the same step. Waits out an outage.
    public func retryDead(_ entries: [String]) async throws(QueueError) -> Decided {
        try await decide(
            QueueScripts.retryDead, words([limits.batchLifetime.wholeSeconds]) + words(entries))
    }

    /// Deletes dead jobs. Their published failures stay. Waits out an outage.
    public func discardDead(_ entries: [String]) async throws(QueueError) -> Decided {
        try await decide(QueueScripts.discardDead, words(entries))
    }

    private func decide(_ script: RedisScript, _ arguments: [[UInt8]]) async throws(QueueError) -> Decided {
        let reply = try await run(script, arguments, waits: true)
        let numbers = (reply.array ?? []).compactMap(\.integer)
        guard numbers.count >= 2 else { throw .unexpectedAnswer(to: script.name, reply) }
        var decided = Decided()
        decided.done = numbers[0]
        decided.gone = numbers[1]
        decided.unusable = numbers.count > 2 ? numbers[2] : 0
        return decided
    }
}

/// The id and the fields of one entry of a stream; nil for another shape.
func streamEntry(_ reply: RedisReply) -> (id: String, fields: [String: RedisReply])? {
    guard let parts = reply.array, parts.count == 2, let id = parts[0].text, let words = parts[1].array else {
        return nil
    }
    var fields: [String: RedisReply] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
        fields[words[index].text ?? ""] = words[index + 1]
    }
    return (id, fields)
}
