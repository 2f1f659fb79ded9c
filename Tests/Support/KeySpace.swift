public import Redis

/// Every key of a database with its type, its value and whether it expires: what a test compares
/// before and after a move. Stream entry ids are left out, since they are times.
public struct KeySpace: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        case string(String)
        /// Left to right.
        case list([String])
        case hash([String: String])
        case sortedSet([String: Double])
        /// Oldest first.
        case stream([[String: String]])
        case other(String)
    }

    public struct Entry: Sendable, Equatable {
        public var value: Value
        public var expires: Bool
    }

    public var entries: [String: Entry] = [:]

    public init() {}

    /// Reads the whole database; for small ones.
    public init(of client: RedisClient) async throws {
        let keys = try await client.call(RedisCommand("KEYS", "*")).array ?? []
        for key in keys.compactMap(\.text) {
            let type = try await client.call(RedisCommand("TYPE", key)).text ?? "none"
            let ttl = try await client.call(RedisCommand("PTTL", key)).integer ?? -1
            entries[key] = Entry(value: try await Self.value(of: key, type: type, client), expires: ttl >= 0)
        }
    }

    public subscript(_ key: String) -> Value? { entries[key]?.value }

    public func list(_ key: String) -> [String] { if case .list(let items) = self[key] { items } else { [] } }
    public func hash(_ key: String) -> [String: String] {
        if case .hash(let fields) = self[key] { fields } else { [:] }
    }
    public func sortedSet(_ key: String) -> [String: Double] {
        if case .sortedSet(let members) = self[key] { members } else { [:] }
    }
    public func stream(_ key: String) -> [[String: String]] {
        if case .stream(let entries) = self[key] { entries } else { [] }
    }

    /// The keys whose entries differ, for "this and nothing else changed".
    public func keysChanged(since before: KeySpace) -> Set<String> {
        Set(entries.keys).union(before.entries.keys).filter { entries[$0] != before.entries[$0] }
    }

    private static func value(of key: String, type: String, _ client: RedisClient) async throws -> Value {
        switch type {
        case "string": return .string(try await client.call(RedisCommand("GET", key)).text ?? "")
        case "list": return .list(texts(try await client.call(RedisCommand("LRANGE", key, "0", "-1"))))
        case "hash": return .hash(pairs(try await client.call(RedisCommand("HGETALL", key))))
        case "zset":
            let scores = pairs(try await client.call(RedisCommand("ZRANGE", key, "0", "-1", "WITHSCORES")))
            return .sortedSet(scores.mapValues { Double($0) ?? .nan })
        case "stream":
            let entries = try await client.call(RedisCommand("XRANGE", key, "-", "+")).array ?? []
            return .stream(entries.map { pairs($0.array?.last ?? .null) })
        default: return .other(type)
        }
    }

    private static func texts(_ reply: RedisReply) -> [String] { (reply.array ?? []).map { $0.text ?? "" } }

    private static func pairs(_ reply: RedisReply) -> [String: String] {
        let words = texts(reply)
        var pairs: [String: String] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) { pairs[words[index]] = words[index + 1] }
        return pairs
    }
}
