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

    init(_ values: OptionValues) throws(UsageError) {
        redis = try ConnectionOptions.address(in: values)
        queue = values[ConnectionOptions.queue]
        printsJSON = values[FleetOptions.json]
        origin =
            switch ConnectionOptions.origin(of: values) {
            case .argument?: "--redis"
            case .environment(let name)?: name
            case nil: "nowhere, it is the default: neither --redis nor REDIS_URL is given"
            }
    }

    /// A command of this program for the same place, to be copied.
    func line(_ words: [String]) -> String {
        var line = [ProgramNames.fleet] + words
        if queue != QueueKeys.defaultName { line += ["--queue", queue] }
        return shellLine(line + ConnectionOptions.words(for: redis))
    }
}
