import Redis

extension OperatorQueue {
    /// One consistent reading of everything that can be counted.
    public struct Audit: Sendable, Equatable {
        public struct Worker: Sendable, Equatable {
            public let id: String
            /// Negative once the lease is over; zero without one.
            public let leaseLeft: Duration
            /// False for a list whose worker has no entry among the leases: somebody deleted it.
            public let hasLease: Bool
            public let jobs: Int

            public var isAlive: Bool { leaseLeft > .zero }
        }

        /// What the hash of a batch counts.
        public struct Batch: Sendable, Equatable {
            public let name: String
            /// Nil for a batch of producers that push without counting.
            public let total: Int?
            public let finished: Int
            public let failed: Int

            /// Jobs enqueued and not settled; negative when more were settled than were counted at the push.
            public var open: Int { (total ?? 0) - finished - failed }
        }

        public let waiting: Int
        public let delayed: Int
        public let dead: Int
        public let results: Int
        public let isPaused: Bool
        public let workers: [Worker]
        /// taken, finished, buried, retried, reclaimed, released; dead_retried, dead_discarded; held:<worker>.
        public let counters: [String: Int]
        /// Those that were asked for.
        public let batches: [Batch]

        public var running: Int { workers.reduce(0) { $0 + $1.jobs } }

        /// Jobs ever taken from the queue. What a blocking pop moved and no script has counted yet is in the
        /// workers' lists beyond their `held:` counters. A list below its counter has lost jobs.
        public var taken: Int {
            workers.reduce(counters["taken", default: 0]) {
                $0 + max(0, $1.jobs - counters["held:" + $1.id, default: 0])
            }
        }

        /// Jobs that left a worker's list by a counted move, or are in one now.
        public var accountedFor: Int {
            ["finished", "buried", "retried", "reclaimed", "released"].reduce(running) {
                $0 + counters[$1, default: 0]
            }
        }

        /// Taken and nowhere: 0, or jobs were lost (above) or appeared from nowhere (below).
        public var missing: Int { taken - accountedFor }

        /// Jobs of batches that are enqueued and not settled must be somewhere: how many more there are than
        /// places hold. 0 unless jobs were lost, or are with workers that take them by plain BRPOP.
        public var missingOfBatches: Int {
            let open = batches.reduce(0) { $0 + ($1.total == nil ? 0 : max(0, $1.open)) }
            return max(0, open - waiting - delayed - running)
        }
    }

    /// - Parameter batches: names of batches to read in the same moment, at most 1,000.
    public func audit(batches: [String] = []) async throws(QueueError) -> Audit {
        let reply = try await run(QueueScripts.audit, words(batches))
        let values = reply.array ?? []
        guard values.count == 9, let now = values[5].integer, let workers = values[7].array,
            let counts = values[8].array
        else { throw .unexpectedAnswer(to: "audit", reply) }
        let numbers = values.prefix(5).map { $0.integer ?? 0 }
        return Audit(
            waiting: numbers[0], delayed: numbers[1], dead: numbers[2], results: numbers[3],
            isPaused: numbers[4] == 1,
            workers: stride(from: 0, to: workers.count - 2, by: 3).map { index in
                let leaseEnd = Double(workers[index + 1].text ?? "")
                return Audit.Worker(
                    id: workers[index].text ?? "",
                    leaseLeft: leaseEnd.map { .milliseconds($0 - Double(now)) } ?? .zero,
                    hasLease: leaseEnd != nil, jobs: workers[index + 2].integer ?? 0)
            },
            counters: Dictionary(pairs(values[6])) { $1 },
            batches: stride(from: 0, to: counts.count - 3, by: 4).map { index in
                let numbers = counts[index + 1...index + 3].map { Int($0.text ?? "") }
                return Audit.Batch(
                    name: counts[index].text ?? "", total: numbers[0], finished: numbers[1] ?? 0,
                    failed: numbers[2] ?? 0)
            })
    }

    /// Batches that one audit reads at most.
    public static let batchesPerAudit = 1_000

    /// What one batch counts, and its failures by code; nil for one that is unknown or expired.
    public func batch(_ name: String) async throws(QueueError) -> (
        counts: Audit.Batch, failures: [String: Int]
    )? {
        let codes = ErrorCode.allCases.map(\.rawValue)
        // By name: the hash also names every chunk, thousands for a million jobs.
        var command = RedisCommand(
            "HMGET", keys.batch(name), "total", "finished", "failed", mayBeReplayed: true)
        for code in codes { command.append("error:" + code) }
        let reply = try await call(command)
        let values = (reply.array ?? []).map { $0.text.flatMap { Int($0) } }
        guard values.count == 3 + codes.count else { throw .unexpectedAnswer(to: "HMGET", reply) }
        guard values.prefix(3).contains(where: { $0 != nil }) else { return nil }
        let failures = zip(codes, values.dropFirst(3)).compactMap { code, count in count.map { (code, $0) } }
        return (
            Audit.Batch(name: name, total: values[0], finished: values[1] ?? 0, failed: values[2] ?? 0),
            Dictionary(failures) { $1 }
        )
    }

    /// Names of the batches that Redis still knows, in order.
    public func batchNames() async throws(QueueError) -> (names: [String], isComplete: Bool) {
        let scan = try await scan(prefix: keys.batchPrefix, type: "hash")
        return (scan.keys.map { String($0.dropFirst(keys.batchPrefix.count)) }.sorted(), scan.isComplete)
    }

    /// Looks through Redis for lists of workers that have no lease, and gives them one: their jobs are
    /// reclaimed when it is over. Returns their workers.
    public func sweep() async throws(QueueError) -> (found: [String], isComplete: Bool) {
        let scan = try await scan(prefix: keys.workerPrefix, type: "list")
        var found: [String] = []
        // Lua's stack holds some 8,000 words.
        for start in stride(from: 0, to: max(scan.keys.count, 1), by: 1_000) {
            let workers = scan.keys.dropFirst(start).prefix(1_000).map {
                String($0.dropFirst(keys.workerPrefix.count))
            }
            let reply = try await run(QueueScripts.sweep, words([limits.lease.milliseconds]) + words(workers))
            found += (reply.array ?? []).compactMap(\.text)
        }
        return (found, scan.isComplete)
    }

    /// Workers that have a list and no lease, with the jobs in it: a walk over the names of all keys.
    public func listsWithoutLease() async throws(QueueError) -> (jobs: [String: Int], isComplete: Bool) {
        let scan = try await scan(prefix: keys.workerPrefix, type: "list")
        var found: [String: Int] = [:]
        // Asked after the walk: a worker may have left meanwhile, and its list with it.
        for key in scan.keys {
            let worker = String(key.dropFirst(keys.workerPrefix.count))
            let replies = try await pipeline([
                RedisCommand("ZSCORE", keys.workers, worker, mayBeReplayed: true),
                RedisCommand("LLEN", key, mayBeReplayed: true),
            ])
            for case .error(let error) in replies { throw .redis(error) }
            if replies[0] == .null, let jobs = replies[1].integer, jobs > 0 { found[worker] = jobs }
        }
        return (found, scan.isComplete)
    }
}
