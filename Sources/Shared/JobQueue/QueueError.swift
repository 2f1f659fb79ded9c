public import Redis

/// Why a move on the queue has no answer.
public enum QueueError: Error, Sendable, Equatable, CustomStringConvertible {
    case redis(RedisError)
    /// A script or a command answered in another shape than it promises.
    case unexpectedAnswer(to: String, RedisReply)
    /// The server would delete keys of the queue when its memory is full.
    case evicts(policy: String)

    public var description: String {
        switch self {
        case .redis(let error): error.description
        case .unexpectedAnswer(let move, let reply): "\(move): unexpected answer \(reply)"
        case .evicts(let policy):
            "Redis' maxmemory-policy is \(policy): it would delete jobs when memory is full; set it to noeviction"
        }
    }
}
