import Redis

/// A walk over the names of keys, in steps that each hold Redis up for less than a millisecond.
struct KeyScan {
    /// Names looked at in one step.
    static let step = 1_000
    /// Steps of one walk: a million names.
    static let mostSteps = 1_000

    static func command(cursor: String, prefix: String, type: String) -> RedisCommand {
        RedisCommand(
            "SCAN", cursor, "MATCH", literal(prefix) + "*", "COUNT", "\(step)", "TYPE", type,
            mayBeReplayed: true)
    }

    /// The next cursor, "0" at the end, and the keys of one step; nil for another shape.
    static func answer(_ reply: RedisReply) -> (cursor: String, keys: [String])? {
        guard let parts = reply.array, parts.count == 2, let cursor = parts[0].text, let keys = parts[1].array
        else { return nil }
        return (cursor, keys.compactMap(\.text))
    }

    /// A text whose signs mean themselves in a pattern.
    private static func literal(_ text: String) -> String {
        text.reduce(into: "") { pattern, sign in
            if #"*?[]\^"#.contains(sign) { pattern.append("\\") }
            pattern.append(sign)
        }
    }
}

extension OperatorQueue {
    /// Keys of one type whose names begin with `prefix`, each once. Not complete in a huge database.
    func scan(prefix: String, type: String) async throws(QueueError) -> (keys: Set<String>, isComplete: Bool)
    {
        var keys: Set<String> = []
        var cursor = "0"
        for _ in 0..<KeyScan.mostSteps {
            let reply = try await call(KeyScan.command(cursor: cursor, prefix: prefix, type: type))
            guard let step = KeyScan.answer(reply) else { throw .unexpectedAnswer(to: "SCAN", reply) }
            keys.formUnion(step.keys.filter { $0.hasPrefix(prefix) })
            cursor = step.cursor
            if cursor == "0" { return (keys, true) }
        }
        return (keys, false)
    }
}
