/// Redis without Swift concurrency, for a thread of one's own: a lease must be renewed also when
/// every core decodes and Swift's pool is starved.
///
/// Not Sendable: made and used on one thread.
public final class BlockingRedisClient {
    private let link: RedisLink

    public init(
        _ address: RedisAddress, name: String, limits: RedisLimits = RedisLimits(),
        health: RedisHealth = RedisHealth()
    ) {
        link = RedisLink(address, limits: limits, name: name, health: health)
    }

    /// One attempt, connecting if needed; blocks for at most the limits of connecting and of the call.
    /// While the pause after a failure lasts it fails at once, without an attempt.
    public func call(_ command: RedisCommand) throws(RedisError) -> RedisReply {
        guard link.pause == .zero else {
            throw .unreachable(address: link.address.description, reason: "waiting before the next attempt")
        }
        let replies = try link.exchange([command], within: link.limit(for: [command]))
        guard case .error(let error) = replies[0] else { return replies[0] }
        throw error
    }

    /// Runs a script, sending its source if the server does not know it.
    public func run(
        _ script: RedisScript, keys: [String], arguments: [[UInt8]], mayBeReplayed: Bool
    ) throws(RedisError) -> RedisReply {
        do {
            return try call(script.command(keys: keys, arguments: arguments, mayBeReplayed: mayBeReplayed))
        } catch .noScript {
            return try call(
                script.command(
                    keys: keys, arguments: arguments, mayBeReplayed: mayBeReplayed, withSource: true))
        }
    }
}
