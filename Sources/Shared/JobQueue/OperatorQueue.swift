public import Redis

/// What an operator does to a queue: pauses it, resumes it, looks at all of it, proves that no job is
/// missing, and decides about dead jobs.
public struct OperatorQueue: Sendable {
    public let keys: QueueKeys
    let client: RedisClient
    let limits: QueueLimits

    public init(_ keys: QueueKeys, client: RedisClient, limits: QueueLimits = QueueLimits()) {
        self.keys = keys
        self.client = client
        self.limits = limits
    }

    /// Nobody claims from now on; what is claimed goes on.
    ///
    /// A blocking pop does not see the pause, so workers that sleep in one are woken. One that was just
    /// falling asleep hears of the pause at its next renewal, and takes what comes until then.
    public func pause(because reason: String) async throws(QueueError) {
        _ = try await run(QueueScripts.pause, words([reason.isEmpty ? "paused" : reason]))
        do throws(QueueError) { try await wakeSleepers() } catch {
            // An access list may hide other connections. Then all of them hear of it at their next renewal.
            guard case .redis(.forbidden) = error else { throw error }
        }
    }

    private func wakeSleepers() async throws(QueueError) {
        let workers = try await audit().workers
        guard !workers.isEmpty else { return }
        let names = Set(workers.map { WorkerID.connectionName(of: $0.id) })
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

    /// Why the queue is paused, as its operator gave it; nil when it is not.
    public func pauseReason() async throws(QueueError) -> String? {
        try await call(RedisCommand("GET", keys.paused, mayBeReplayed: true)).text
    }

    /// Throws `evicts` when the server would delete jobs to make room. Unknown (an access list may hide
    /// the setting) is not an error.
    public func checkEviction() async throws(QueueError) {
        if let policy = try await evictionPolicy(), policy != "noeviction" { throw .evicts(policy: policy) }
    }

    /// From INFO, so that an access list need not allow CONFIG GET, which shows passwords as well. Nil when it
    /// allows neither.
    private func evictionPolicy() async throws(QueueError) -> String? {
        do throws(QueueError) {
            let info = Self.facts(try await call(RedisCommand("INFO", "memory")).text ?? "")
            if let policy = info["maxmemory_policy"] { return String(policy) }
        } catch .redis(.forbidden) {}
        do throws(QueueError) {
            return try await call(RedisCommand("CONFIG", "GET", "maxmemory-policy")).array?.last?.text
        } catch .redis(.forbidden) {
            return nil
        }
    }

    /// Redis' clock, in ms since 1970: the ids of its streams are made of it.
    public func now() async throws(QueueError) -> Int64 {
        let reply = try await call(RedisCommand("TIME", mayBeReplayed: true))
        let parts = (reply.array ?? []).compactMap { Int64($0.text ?? "") }
        guard parts.count == 2 else { throw .unexpectedAnswer(to: "TIME", reply) }
        return parts[0] * 1_000 + parts[1] / 1_000
    }

    // MARK: calls

    func call(_ command: RedisCommand) async throws(QueueError) -> RedisReply {
        do { return try await client.call(command) } catch { throw .redis(error) }
    }

    /// One round trip; error replies are among the answers.
    func pipeline(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        do { return try await client.pipeline(commands) } catch { throw .redis(error) }
    }

    func run(
        _ script: RedisScript, _ arguments: [[UInt8]], waits: Bool = false
    ) async throws(QueueError) -> RedisReply {
        do {
            return try await client.run(
                script, keys: keys.shared, arguments: arguments, mayBeReplayed: true, waitsForRedis: waits)
        } catch {
            throw .redis(error)
        }
    }
}
