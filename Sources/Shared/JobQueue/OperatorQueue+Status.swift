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
        /// What each worker said at its last renewal, by its id: field → value. Gone a minute after the lease.
        public let infos: [String: [String: String]]
        public let recent: Recent
        /// Nil when the Redis user may not ask.
        public let memory: Memory?
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

    /// How far back `status` looks among the results.
    public static let recentWindow = Duration.seconds(300)
    /// Results it reads at most: a few milliseconds of Redis' time.
    static let recentResults = 1_000
    /// How long a look is remembered.
    static let watchLifetime = Duration.seconds(24 * 3600)

    /// Looks at everything, in three round trips.
    public func status() async throws(QueueError) -> Status {
        let audit = try await audit()
        let recent = try await recent()
        let replies = try await pipeline(
            [
                RedisCommand("TIME"), RedisCommand("GET", keys.paused),
                RedisCommand("ZRANGE", keys.delayed, "0", "0", "WITHSCORES"), RedisCommand("INFO", "memory"),
            ] + audit.workers.map { RedisCommand("HGETALL", keys.workerPrefix + $0.id + ":info") })
        // INFO may be forbidden; the rest may not.
        for (index, reply) in replies.enumerated() where index != 3 {
            if case .error(let error) = reply { throw .redis(error) }
        }
        let now = replies[0].array?.compactMap { Int64($0.text ?? "") } ?? []
        guard now.count == 2 else { throw .unexpectedAnswer(to: "TIME", replies[0]) }
        let milliseconds = now[0] * 1_000 + now[1] / 1_000
        let due = replies[2].array?.last.flatMap(finite)
        return Status(
            audit: audit, now: milliseconds, pauseReason: replies[1].text,
            nextDue: due.map { .milliseconds($0 - Double(milliseconds)) },
            infos: Dictionary(
                zip(audit.workers.map(\.id), replies.dropFirst(4).map(Self.texts)), uniquingKeysWith: { $1 }),
            recent: recent, memory: Self.memory(replies[3].text ?? ""))
    }

    private func recent() async throws(QueueError) -> Recent {
        let reply = try await run(
            QueueScripts.recent,
            words([
                Self.recentWindow.milliseconds, Self.recentResults, Self.watchLifetime.wholeSeconds,
            ]))
        let values = reply.array ?? []
        guard values.count == 5, let covered = values[0].integer, let waited = values[4].integer else {
            throw .unexpectedAnswer(to: "recent", reply)
        }
        let failures = values[3].array ?? []
        return Recent(
            covered: .milliseconds(covered), isCut: values[1].integer == 1, finished: values[2].integer ?? 0,
            failures: Dictionary(
                stride(from: 0, to: failures.count - 1, by: 2).map {
                    (failures[$0].text ?? "", failures[$0 + 1].integer ?? 0)
                }, uniquingKeysWith: +),
            oldestWaited: waited < 0 ? nil : .milliseconds(waited))
    }

    private static func texts(_ hash: RedisReply) -> [String: String] {
        let values = (hash.array ?? []).map { $0.text ?? "" }
        return Dictionary(
            stride(from: 0, to: values.count - 1, by: 2).map { (values[$0], values[$0 + 1]) },
            uniquingKeysWith: { $1 })
    }

    /// Reads INFO; nil when it does not tell.
    private static func memory(_ info: String) -> Memory? {
        var facts: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { facts[parts[0]] = parts[1] }
        }
        guard let used = facts["used_memory"].flatMap({ Int($0) }),
            let most = facts["maxmemory"].flatMap({ Int($0) }), let policy = facts["maxmemory_policy"]
        else { return nil }
        return Memory(usedBytes: used, maxBytes: most, policy: String(policy))
    }
}
