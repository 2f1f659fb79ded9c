import Redis

extension OperatorQueue {
    /// How the queue, its workers and its Redis are.
    public struct Status: Sendable, Equatable {
        public let audit: Audit
        /// Redis' clock, in ms since 1970.
        public let now: Int64
        /// As the operator gave it; nil when the queue is not paused.
        public let pauseReason: String?
        /// Until the next delayed job is due, negative when it is overdue; nil when none is delayed.
        public let nextDue: Duration?
        /// What each worker said at its last renewal, by its id: field → value. Kept while the worker is known.
        public let infos: [String: [String: String]]
        /// Moves that took a job out of a worker's list for good or for a while, ever; counted after `infos`
        /// were read, so that no worker has said more.
        public let settled: Int
        public let recent: Recent
        /// Nil when the Redis user may not ask; so is `durability`.
        public let memory: Memory?
        public let durability: Durability?
    }

    /// What the latest results say.
    public struct Recent: Sendable, Equatable {
        /// How far back they were looked at.
        public let covered: Duration
        /// There were more in the window than were looked at.
        public let isCut: Bool
        public let finished: Int
        /// By error code.
        public let failures: [String: Int]
        /// The worker of the newest failure, by error code; none where the result does not say.
        public let failedAt: [String: String]
        /// Unsettled jobs that have failed and are tried again, as far as was looked.
        public let retrying: Int
        /// Delayed jobs of a version that their worker did not know, as far as was looked.
        public let newer: Int
        public let newerVersions: [Int]
        /// The oldest waiting job has been the oldest for at least so long; nil when no earlier look is known.
        public let oldestWaited: Duration?

        public var failed: Int { failures.values.reduce(0, +) }
    }

    public struct Memory: Sendable, Equatable {
        public let usedBytes: Int
        /// 0 means no limit.
        public let maxBytes: Int
        public let policy: String
    }

    /// What becomes of the queue when Redis ends.
    public struct Durability: Sendable, Equatable {
        public let uptime: Duration
        public let keepsLog: Bool
        /// Nil when the Redis user may not ask for the setting.
        public let savesSnapshots: Bool?
        /// The last write of the log and the last snapshot went well.
        public let isWriting: Bool
    }

    /// How far back `status` looks among the results.
    public static let recentWindow = Duration.seconds(300)
    /// Results it reads at most: a few milliseconds of Redis' time.
    static let recentResults = 1_000
    /// Jobs that are tried again that it counts at most: a name and a few bytes each.
    static let recentAttempts = 1_000
    /// Delayed jobs that it reads at most, those that are due first: whole, with up to 64 KiB each.
    public static let delayedLookedAt = 200
    /// How long a look is remembered.
    static let watchLifetime = Duration.seconds(24 * 3600)

    /// Looks at everything, in three round trips.
    public func status() async throws(QueueError) -> Status {
        let audit = try await audit()
        let recent = try await recent()
        let replies = try await pipeline(
            [
                RedisCommand("TIME"), RedisCommand("GET", keys.paused),
                RedisCommand("ZRANGE", keys.delayed, "0", "0", "WITHSCORES"), RedisCommand("INFO"),
                RedisCommand("CONFIG", "GET", "save"),
            ] + audit.workers.map { RedisCommand("HGETALL", keys.workerPrefix + $0.id + ":info") }
                + [Self.settling(keys)])
        // INFO and CONFIG may be forbidden; the rest may not.
        for (index, reply) in replies.enumerated() where index != 3 && index != 4 {
            if case .error(let error) = reply { throw .redis(error) }
        }
        let now = replies[0].array?.compactMap { Int64($0.text ?? "") } ?? []
        guard now.count == 2 else { throw .unexpectedAnswer(to: "TIME", replies[0]) }
        let milliseconds = now[0] * 1_000 + now[1] / 1_000
        let info = Self.facts(replies[3].text ?? "")
        let settled = (replies.last?.array ?? []).reduce(0) { $0 + ($1.text.flatMap { summable($0) } ?? 0) }
        let due = replies[2].array?.last.flatMap(finite)
        return Status(
            audit: audit, now: milliseconds, pauseReason: replies[1].text,
            nextDue: due.map { .milliseconds($0 - Double(milliseconds)) },
            infos: Dictionary(
                zip(audit.workers.map(\.id), replies.dropFirst(5).map(Self.texts)), uniquingKeysWith: { $1 }),
            settled: settled, recent: recent, memory: Self.memory(info),
            durability: Self.durability(info, save: replies[4]))
    }

    /// The counters of what workers count as finished and failed, too.
    private static func settling(_ keys: QueueKeys) -> RedisCommand {
        RedisCommand("HMGET", keys.counters, "finished", "buried")
    }

    private func recent() async throws(QueueError) -> Recent {
        let reply = try await run(
            QueueScripts.recent,
            words([
                Self.recentWindow.milliseconds, Self.recentResults, Self.watchLifetime.wholeSeconds,
                Self.recentAttempts, Self.delayedLookedAt,
            ]))
        let values = reply.array ?? []
        guard values.count == 8, let covered = values[0].integer, let waited = values[4].integer else {
            throw .unexpectedAnswer(to: "recent", reply)
        }
        let failures = values[3].array ?? []
        let starts = stride(from: 0, to: failures.count - 2, by: 3)
        return Recent(
            covered: .milliseconds(covered), isCut: values[1].integer == 1, finished: values[2].integer ?? 0,
            failures: Dictionary(
                starts.map { (failures[$0].text ?? "", failures[$0 + 1].integer ?? 0) }, uniquingKeysWith: +),
            failedAt: Dictionary(
                starts.compactMap { start in
                    guard let worker = failures[start + 2].text, !worker.isEmpty else { return nil }
                    return (failures[start].text ?? "", worker)
                }, uniquingKeysWith: { $1 }),
            retrying: values[5].integer ?? 0, newer: values[6].integer ?? 0,
            newerVersions: (values[7].array ?? []).compactMap(\.integer).sorted(),
            oldestWaited: waited < 0 ? nil : .milliseconds(waited))
    }

    static func texts(_ hash: RedisReply) -> [String: String] {
        let values = (hash.array ?? []).map { $0.text ?? "" }
        return Dictionary(
            stride(from: 0, to: values.count - 1, by: 2).map { (values[$0], values[$0 + 1]) },
            uniquingKeysWith: { $1 })
    }

    /// What INFO says, by name.
    static func facts(_ info: String) -> [Substring: Substring] {
        var facts: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { facts[parts[0]] = parts[1] }
        }
        return facts
    }

    /// Nil when INFO does not tell.
    private static func memory(_ facts: [Substring: Substring]) -> Memory? {
        guard let used = facts["used_memory"].flatMap({ Int($0) }),
            let most = facts["maxmemory"].flatMap({ Int($0) }), let policy = facts["maxmemory_policy"]
        else { return nil }
        return Memory(usedBytes: used, maxBytes: most, policy: String(policy))
    }

    /// Nil when INFO does not tell. `save` is the answer to the question for this setting.
    private static func durability(_ facts: [Substring: Substring], save: RedisReply) -> Durability? {
        guard let uptime = facts["uptime_in_seconds"].flatMap({ Int64($0) }), let log = facts["aof_enabled"]
        else { return nil }
        let failing: [Substring] = [
            "aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status",
        ]
        return Durability(
            uptime: .seconds(uptime), keepsLog: log == "1",
            savesSnapshots: save.array.flatMap { $0.count == 2 ? $0[1].text?.isEmpty == false : nil },
            isWriting: !failing.contains { facts[$0] == "err" })
    }
}
