import CommandLineOptions
import JobQueue
import ProgramOptions
import Redis

/// The queue that a command is about, and how to answer.
struct QueuePlace: Sendable {
    let redis: RedisAddress
    /// Who named this Redis, in words.
    let origin: String
    let queue: String
    let printsJSON: Bool

    init(_ values: OptionValues) {
        redis = values[ConnectionOptions.redis]
        queue = values[ConnectionOptions.queue]
        printsJSON = values[FleetOptions.json]
        origin =
            switch values.origin(of: ConnectionOptions.redis) {
            case .argument?: "--redis"
            case .environment(let name)?: name
            case nil: "nowhere, it is the default: neither --redis nor REDIS_URL is given"
            }
    }

    /// A command of this program for the same place, to be copied. A password has no place in a command
    /// line: with one, REDIS_URL names the server for both.
    func line(_ words: [String]) -> String {
        var line = ["fleet"] + words
        if queue != QueueKeys.defaultName { line += ["--queue", queue] }
        let usual = RedisAddress(.tcp(host: "127.0.0.1", port: RedisAddress.defaultPort))
        if redis != usual, redis.password == nil { line += ["--redis", redis.description] }
        return shellLine(line)
    }
}
