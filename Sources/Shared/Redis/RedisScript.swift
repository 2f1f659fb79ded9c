/// A Lua script, sent by its SHA-1 and with its source only when the server does not know it.
public struct RedisScript: Sendable {
    public let name: String
    public let source: [UInt8]
    public let sha1: String

    public init(name: String, source: [UInt8]) {
        self.name = name
        self.source = source
        sha1 = SHA1.hexDigest(of: source)
    }

    /// The call by digest. Each call of a script reads and writes only `keys`, or keys it derives from them.
    public func command(
        keys: [String], arguments: [[UInt8]], mayBeReplayed: Bool, withSource: Bool = false
    ) -> RedisCommand {
        var command = RedisCommand(withSource ? "EVAL" : "EVALSHA", mayBeReplayed: mayBeReplayed)
        if withSource { command.append(source) } else { command.append(sha1) }
        command.append(keys.count)
        for key in keys { command.append(key) }
        for argument in arguments { command.append(argument) }
        return command
    }
}
