import Redis

/// A published result as the stream keeps it.
public struct PublishedResult: Sendable, Equatable {
    /// The entry's id; its first part is when it was published, in ms since 1970.
    public let entry: String
    public let id: String
    /// `done` or `failed`.
    public let status: String
    public let batch: String
    /// The JSON object, as it was published.
    public let json: [UInt8]

    init?(_ reply: RedisReply) {
        guard let (entry, fields) = streamEntry(reply) else { return nil }
        self.entry = entry
        id = fields["id"]?.text ?? ""
        status = fields["status"]?.text ?? ""
        batch = fields["batch"]?.text ?? ""
        json = fields["result"]?.bytes ?? []
    }
}

extension OperatorQueue {
    private static let pageSize = 500

    /// Looks at results, the newest first, until `look` returns false; from `oldest` on, an entry's id.
    public func forEachResult(
        since oldest: String? = nil, _ look: (PublishedResult) -> Bool
    ) async throws(QueueError) {
        var end = "+"
        while true {
            let reply = try await call(
                RedisCommand(
                    "XREVRANGE", keys.results, end, oldest ?? "-", "COUNT", "\(Self.pageSize)",
                    mayBeReplayed: true))
            let entries = reply.array ?? []
            for entry in entries {
                guard let result = PublishedResult(entry) else {
                    throw .unexpectedAnswer(to: "XREVRANGE", reply)
                }
                guard look(result) else { return }
                end = "(" + result.entry
            }
            if entries.count < Self.pageSize { return }
        }
    }

    /// The id of the newest result; "0-0" before the first.
    public func newestResult() async throws(QueueError) -> String {
        var newest = "0-0"
        try await forEachResult { result in
            newest = result.entry
            return false
        }
        return newest
    }

    /// What came after one result.
    public struct Following: Sendable, Equatable {
        /// Oldest first; empty when nothing came in time.
        public let results: [PublishedResult]
        /// The result asked about is no longer in the stream, so others after it may be gone as well.
        public let mayHaveGap: Bool
    }

    /// Sleeps until results come after `last` or the time is over; wakes at once. Waits out an outage.
    ///
    /// Holds the connection: give it a client of its own.
    public func results(after last: String, atMost limit: Duration) async throws(QueueError) -> Following {
        let read = RedisCommand(
            "XREAD", "COUNT", "\(Self.pageSize)", "BLOCK", "\(max(1, limit.milliseconds))", "STREAMS",
            keys.results, last, mayBeReplayed: true, blocksFor: limit)
        do {
            let reply = try await client.callWhenUp(read)
            let entries = reply.array?.first?.array?.last?.array ?? []
            let results = entries.compactMap { PublishedResult($0) }
            guard results.count == entries.count else {
                throw QueueError.unexpectedAnswer(to: "XREAD", reply)
            }
            guard !results.isEmpty, last != "0-0" else {
                return Following(results: results, mayHaveGap: false)
            }
            // Asked afterwards: while the last one is still there, nothing after it was cut off.
            let isThere = try await client.callWhenUp(
                RedisCommand("XRANGE", keys.results, last, last, mayBeReplayed: true))
            return Following(results: results, mayHaveGap: isThere.array?.isEmpty ?? true)
        } catch let error as QueueError {
            throw error
        } catch let error as RedisError {
            throw .redis(error)
        } catch {
            preconditionFailure("only these two are thrown above: \(error)")
        }
    }
}
