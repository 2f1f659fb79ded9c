import Redis

extension OperatorQueue {
    /// A job that nobody may claim yet.
    public struct DelayedJob: Sendable, Equatable {
        public let id: String
        /// Nil for bytes that this version does not understand.
        public let source: String?
        /// Its format; nil for the usual.
        public let version: Int?
        /// Negative when it is overdue.
        public let due: Duration
        public let failedAttempts: Int
        /// Its worker did not know its version and left it.
        public let waitsForNewerWorker: Bool
    }

    /// Delayed jobs, those that are due first at the beginning.
    public func delayed(first limit: Int) async throws(QueueError) -> [DelayedJob] {
        let now = try await now()
        let reply = try await call(
            RedisCommand(
                "ZRANGE", keys.delayed, "0", "\(limit - 1)", "WITHSCORES", mayBeReplayed: true))
        let values = reply.array ?? []
        var jobs: [DelayedJob] = []
        for index in stride(from: 0, to: values.count - 1, by: 2) {
            let member = values[index].bytes ?? []
            let reading = Job.read(Self.raw(ofDelayed: member))
            let ticket = reading.ticket
            let attempts = try await call(
                RedisCommand("HGET", keys.attempts, ticket.id, mayBeReplayed: true))
            let due = values[index + 1].text.flatMap { Double($0) } ?? 0
            jobs.append(
                DelayedJob(
                    id: ticket.id, source: reading.source, version: reading.newerVersion,
                    due: .milliseconds(due - Double(now)),
                    failedAttempts: attempts.text.flatMap { Int($0.prefix { $0 != " " }) } ?? 0,
                    waitsForNewerWorker: member.first == UInt8(ascii: "L")))
        }
        return jobs
    }

    /// Where a job is that is not dead.
    public enum Whereabouts: Sendable, Equatable {
        /// `ahead` are served before it.
        case waiting(ahead: Int)
        case running(worker: String)
        case delayed(due: Duration, isNewer: Bool)
        /// As its result says.
        case settled(status: String)
    }

    /// Jobs of each place that are looked at: some megabytes for usual ones.
    public static let jobsLookedAt = 10_000
    private static let step = 500

    /// Looks for jobs with this id among the first of each place; nil when none is there.
    public func whereabouts(ofJob id: String) async throws(QueueError) -> Whereabouts? {
        for worker in try await audit().workers where worker.jobs > 0 {
            let list = keys.workerPrefix + worker.id
            if try await position(of: id, in: list) != nil { return .running(worker: worker.id) }
        }
        for job in try await delayed(first: Self.step) where job.id == id {
            return .delayed(due: job.due, isNewer: job.waitsForNewerWorker)
        }
        if let ahead = try await position(of: id, in: keys.queue) { return .waiting(ahead: ahead) }
        var looked = 0
        var status: String?
        try await forEachResult { result in
            looked += 1
            if result.id == id { status = result.status }
            return status == nil && looked < Self.jobsLookedAt
        }
        return status.map { .settled(status: $0) }
    }

    /// How many jobs of a list are served before the one with this id.
    private func position(of id: String, in list: String) async throws(QueueError) -> Int? {
        for start in stride(from: 0, to: Self.jobsLookedAt, by: Self.step) {
            // Served from the right.
            let reply = try await call(
                RedisCommand(
                    "LRANGE", list, "\(-start - Self.step)", "\(-start - 1)", mayBeReplayed: true))
            let jobs = (reply.array ?? []).reversed()
            for (index, job) in jobs.enumerated() where Job.read(job.bytes ?? []).ticket.id == id {
                return start + index
            }
            if jobs.count < Self.step { return nil }
        }
        return nil
    }

    /// The name of the worker that published the failure of a dead job; nil when that is no longer known.
    public func worker(of job: DeadJob) async throws(QueueError) -> String? {
        // Both entries are written by one script, so they are of one moment or nearly so.
        let reply = try await call(
            RedisCommand(
                "XRANGE", keys.results, "\(job.buriedAt)", "\(job.buriedAt + 1_000)", "COUNT", "\(Self.step)",
                mayBeReplayed: true))
        for entry in reply.array ?? [] {
            guard let result = PublishedResult(entry), result.id == job.id, result.status == "failed" else {
                continue
            }
            do { return try JobResult(json: result.json).worker } catch { return nil }
        }
        return nil
    }

    /// What a worker last said of itself: field → value; empty for one that is no longer known.
    public func info(ofWorker worker: String) async throws(QueueError) -> [String: String] {
        Self.texts(
            try await call(
                RedisCommand("HGETALL", keys.workerPrefix + worker + ":info", mayBeReplayed: true)))
    }

    /// Members are `<side><number>:<raw>`.
    private static func raw(ofDelayed member: [UInt8]) -> [UInt8] {
        Array(member.drop { $0 != UInt8(ascii: ":") }.dropFirst())
    }
}

extension Job.Reading {
    fileprivate var source: String? {
        if case .job(let job) = self { return job.source }
        return nil
    }

    fileprivate var newerVersion: Int? {
        if case .newerVersion(_, let version) = self { return version }
        return nil
    }
}
