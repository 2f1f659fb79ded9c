public import Redis

/// What an operator does to a queue: pause it, resume it, and prove that no job is missing.
public struct OperatorQueue: Sendable {
    public let keys: QueueKeys
    private let client: RedisClient

    public init(_ keys: QueueKeys, client: RedisClient) {
        self.keys = keys
        self.client = client
    }

    /// Nobody claims from now on; what is claimed goes on.
    ///
    /// A blocking pop does not see the pause, so workers that sleep in one are woken. One that was just
    /// falling asleep hears of the pause at its next renewal, and takes what comes until then.
    public func pause(because reason: String) async throws(QueueError) {
        _ = try await call(RedisCommand("SET", keys.paused, reason.isEmpty ? "paused" : reason))
        do throws(QueueError) { try await wakeSleepers() } catch {
            // An access list may hide other connections. Then all of them hear of it at their next renewal.
            guard case .redis(.forbidden) = error else { throw error }
        }
    }

    private func wakeSleepers() async throws(QueueError) {
        let workers = try await audit().workers.map { WorkerID($0.id).connectionName }
        guard !workers.isEmpty else { return }
        let names = Set(workers)
        let connections = try await call(RedisCommand("CLIENT", "LIST")).text ?? ""
        for connection in connections.split(separator: "\n") {
            var facts: [Substring: Substring] = [:]
            for fact in connection.split(separator: " ") {
                let parts = fact.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { facts[parts[0]] = parts[1] }
            }
            guard let id = facts["id"], let name = facts["name"], names.contains(String(name)),
                facts["flags"]?.contains("b") == true
            else { continue }
            _ = try await call(RedisCommand("CLIENT", "UNBLOCK", String(id)))
        }
    }

    public func resume() async throws(QueueError) { _ = try await call(RedisCommand("DEL", keys.paused)) }

    /// One consistent reading of everything that can be counted.
    public struct Audit: Sendable, Equatable {
        public struct Worker: Sendable, Equatable {
            public let id: String
            /// Negative once the lease is over.
            public let leaseLeft: Duration
            public let jobs: Int
        }

        public let waiting: Int
        public let delayed: Int
        public let dead: Int
        public let results: Int
        public let isPaused: Bool
        public let workers: [Worker]
        /// taken, finished, buried, retried, reclaimed, released.
        public let counters: [String: Int]

        public var running: Int { workers.reduce(0) { $0 + $1.jobs } }

        /// Jobs ever taken from the queue. What a blocking pop moved and no script has counted yet is
        /// in the workers' lists beyond their `held:` counters. A list that is shorter than its counter has
        /// lost jobs: taken they were all the same.
        public var taken: Int {
            workers.reduce(counters["taken", default: 0]) { taken, worker in
                taken + max(0, worker.jobs - counters["held:" + worker.id, default: 0])
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
    }

    public func audit() async throws(QueueError) -> Audit {
        let reply: RedisReply
        do {
            reply = try await client.run(
                QueueScripts.audit, keys: keys.shared, arguments: [], mayBeReplayed: true)
        } catch {
            throw .redis(error)
        }
        let values = reply.array ?? []
        guard values.count == 8, let now = values[5].integer, let workers = values[7].array else {
            throw .unexpectedAnswer(to: "audit", reply)
        }
        let numbers = values.prefix(5).map { $0.integer ?? 0 }
        return Audit(
            waiting: numbers[0], delayed: numbers[1], dead: numbers[2], results: numbers[3],
            isPaused: numbers[4] == 1,
            workers: stride(from: 0, to: workers.count - 2, by: 3).map { index in
                let leaseEnd = Double(workers[index + 1].text ?? "") ?? 0
                return Audit.Worker(
                    id: workers[index].text ?? "", leaseLeft: .milliseconds(leaseEnd - Double(now)),
                    jobs: workers[index + 2].integer ?? 0)
            },
            counters: Dictionary(pairs(values[6])) { $1 })
    }

    /// Throws `evicts` when the server would delete jobs to make room. Unknown (an access list may hide
    /// the setting) is not an error.
    public func checkEviction() async throws(QueueError) {
        do {
            let reply = try await client.call(RedisCommand("CONFIG", "GET", "maxmemory-policy"))
            if let policy = reply.array?.last?.text, policy != "noeviction" {
                throw QueueError.evicts(policy: policy)
            }
        } catch let error as QueueError {
            throw error
        } catch RedisError.forbidden {
            return
        } catch let error as RedisError {
            throw .redis(error)
        } catch {
            preconditionFailure("only these two are thrown above: \(error)")
        }
    }

    private func call(_ command: RedisCommand) async throws(QueueError) -> RedisReply {
        do {
            return try await client.call(command)
        } catch {
            throw .redis(error)
        }
    }
}
