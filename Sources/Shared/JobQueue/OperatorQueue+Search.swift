import Redis

extension OperatorQueue {
    /// Where else a queue may be that is not here.
    public struct Traces: Sendable, Equatable {
        /// Names of queues in this database, in order.
        public var queues: [String] = []
        /// Databases of this server that hold a queue of the wanted name.
        public var databases: [Int] = []
    }

    /// Names that are told at most.
    private static let mostNames = 20

    /// Whether anything was ever pushed to this queue or served it, as far as Redis remembers.
    public func exists() async throws(QueueError) -> Bool {
        try await call(existence).integer ?? 0 > 0
    }

    /// Looks for the queue in other databases, and for other queues in this one. What an access list hides is
    /// not found.
    public func traces() async throws(QueueError) -> Traces {
        var traces = Traces()
        do throws(QueueError) {
            // What every queue has that a worker has served, then lists that may be queues nobody served.
            for (type, ending) in [("hash", "}:counters"), ("zset", "}:workers"), ("list", "")] {
                for key in try await scan(prefix: "", type: type).keys where key.hasSuffix(ending) {
                    if ending.isEmpty, key.contains("}:worker:") { continue }
                    let name = key.dropLast(ending.count)
                    traces.queues.append(
                        ending.isEmpty ? key : String(name.hasPrefix("{") ? name.dropFirst() : name + "}"))
                }
            }
            traces.queues = Array(
                Set(traces.queues).subtracting([keys.queue]).sorted().prefix(Self.mostNames))
            traces.databases = try await databasesWithQueue()
        } catch .redis(.forbidden) {
            return traces
        }
        return traces
    }

    private var existence: RedisCommand {
        var command = RedisCommand("EXISTS", mayBeReplayed: true)
        for key in keys.shared { command.append(key) }
        return command
    }

    private func databasesWithQueue() async throws(QueueError) -> [Int] {
        let info = try await call(RedisCommand("INFO", "keyspace")).text ?? ""
        let used = info.split(whereSeparator: \.isNewline).compactMap { line -> Int? in
            guard line.hasPrefix("db") else { return nil }
            return Int(line.dropFirst(2).prefix { $0 != ":" })
        }
        var found: [Int] = []
        for database in used where database != client.address.database {
            let other = RedisClient(client.address.with(database: database), name: "fleet")
            defer { other.close() }
            if try await OperatorQueue(keys, client: other).exists() { found.append(database) }
        }
        return found
    }
}
