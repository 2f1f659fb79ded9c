import JobQueue
import ProgramOptions
import Redis

/// The queue that a command is about, and how to answer.
struct QueuePlace: Sendable {
    let redis: RedisAddress
    let queue: String
    let printsJSON: Bool

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
