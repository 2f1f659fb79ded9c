import CommandLineOptions
import HTTP
import JobQueue
import ProgramOptions
import Units

/// What can be said to the commands of `fleet`.
enum FleetOptions {
    static let json = Option(
        flag: "json", environment: "THUMBNAIL_JSON",
        help: "Print JSON instead of text for people: one object a line.")

    static let group = OptionTable.Group(
        "Queue and output", ConnectionOptions.ofRedis + [ConnectionOptions.queue, json])

    // MARK: status and top

    static let stalledAfter = Option(
        "stalled-after", .duration(in: .seconds(1)...longest), placeholder: "TIME", default: .seconds(60),
        environment: "THUMBNAIL_STALLED_AFTER",
        help:
            "Unhealthy when the oldest waiting job has waited so long without being claimed. A look remembers "
            + "in Redis what it saw, so this needs a look before.")

    static let maxFailed = Option(
        "max-failed", .integer(in: 1...100), placeholder: "PERCENT", default: 10,
        environment: "THUMBNAIL_MAX_FAILED",
        help:
            "Unhealthy when so much of what was settled in the last 5 minutes failed although its picture is not "
            + "to blame, or is being tried again; from 3 jobs on.")

    static let minWorkers = Option(
        "min-workers", .integer(in: 0 ... .max), placeholder: "N", default: 0,
        environment: "THUMBNAIL_MIN_WORKERS", help: "Unhealthy when fewer workers are alive.")

    static let health = [stalledAfter, maxFailed, minWorkers] as [any OptionDeclaration]

    static let interval = Option(
        "interval", .duration(in: .milliseconds(100) ... .seconds(3600)), placeholder: "TIME",
        default: .seconds(2), environment: "THUMBNAIL_TOP_INTERVAL", help: "Between two looks.")

    static let looks = Option(
        optional: "count", .integer(in: 1 ... .max), placeholder: "N", defaultText: "until it is ended",
        environment: "THUMBNAIL_TOP_COUNT", help: "End after N looks.")

    // MARK: health

    static let worker = Option(
        "worker", .hostAndPort, placeholder: "HOST:PORT", default: HostAndPort.defaultOfWorker,
        environment: "THUMBNAIL_LISTEN", help: "Where the worker listens, as its own --listen says.")

    static let ready = Option(
        flag: "ready", environment: "THUMBNAIL_HEALTH_READY",
        help: "Ask whether it claims jobs, not only whether it lives.")

    static let patience = Option(
        "timeout", .duration(in: .milliseconds(10) ... .seconds(60)), placeholder: "TIME",
        default: .seconds(3),
        environment: "THUMBNAIL_HEALTH_TIMEOUT", help: "How long the answer may take.")

    // MARK: dead, retry and discard

    // Which jobs are deleted or brought back comes from the command line alone: a variable that was forgotten in
    // some profile decides nothing.

    static let codes = Option(
        "code", .list(of: .errorCode, upTo: ErrorCode.allCases.count, example: "timed_out,internal"),
        placeholder: "CODE,…", default: [], defaultText: "any",
        help:
            "Only jobs that failed with one of these error codes: "
            + ErrorCode.allCases.map(\.rawValue).joined(separator: ", ") + ".")

    static let since = Option(
        optional: "since", .age(upTo: longest), placeholder: "TIME",
        help: "Only jobs buried in the last TIME, such as 2h.")

    static let olderThan = Option(
        optional: "older-than", .age(upTo: longest), placeholder: "TIME",
        help: "Only jobs buried longer ago than TIME, such as 7d.")

    static let deadLimit = Option(
        "limit", .integer(in: 1 ... .max), placeholder: "N", default: 20, environment: "THUMBNAIL_DEAD_LIMIT",
        help: "List the newest N at most.")

    static let delayedLimit = Option(
        "limit", .integer(in: 1...10_000), placeholder: "N", default: 20,
        environment: "THUMBNAIL_DELAYED_LIMIT", help: "List the first N at most.")

    static let all = Option(
        flag: "all", help: "Every dead job.")

    static let yes = Option(
        flag: "yes",
        help: "Do not ask. Needed for more than one job where there is no terminal.")

    static let dryRun = Option(
        flag: "dry-run",
        help: "Say how many it would be, and change nothing.")

    // MARK: results

    static let resultLimit = Option(
        optional: "limit", .integer(in: 1 ... .max), placeholder: "N", defaultText: "20, with --since all",
        environment: "THUMBNAIL_RESULTS_LIMIT", help: "Print the newest N at most, oldest first.")

    static let follow = Option(
        flag: "follow", environment: "THUMBNAIL_RESULTS_FOLLOW",
        help:
            "Go on with each result as it is published, until Ctrl-C. Waits out an outage of Redis. Says so "
            + "when it fell behind the cap of the results.")

    static let sinceResult = Option(
        optional: "since", .since, placeholder: "TIME|ID", environment: "THUMBNAIL_RESULTS_SINCE",
        help:
            "Only results of the last TIME, such as 10m, or from the one with this id on, as the stream has it."
    )

    static let batch = Option(
        optional: "batch", .text(upTo: 128), placeholder: "NAME", environment: "THUMBNAIL_RESULTS_BATCH",
        help: "Only results of this batch.")

    static let failed = Option(
        flag: "failed", environment: "THUMBNAIL_RESULTS_FAILED", help: "Only jobs that failed.")

    // MARK: pause and audit

    static let reason = Option(
        "reason", .text(upTo: 256), placeholder: "TEXT", default: "paused by an operator",
        environment: "THUMBNAIL_PAUSE_REASON", help: "Why, for whoever looks at the status.")

    static let force = Option(
        flag: "force", environment: "THUMBNAIL_PAUSE_FORCE",
        help: "Also a queue that nothing was ever pushed to and no worker serves: before the first job.")

    static let repair = Option(
        flag: "repair", environment: "THUMBNAIL_AUDIT_REPAIR",
        help:
            "Give lists of workers that have no lease a new one, so that workers reclaim their jobs when it is "
            + "over. Workers do this by themselves, only later.")

    static let longest = Duration.seconds(10 * 365 * 86_400)
}

/// From where results are wanted.
enum ResultsSince: Sendable, Equatable {
    case ago(Duration)
    /// An entry's id, or the milliseconds of one.
    case entry(String)
}

extension OptionKind where Value == Duration {
    /// A length of time with its unit: 7 for 7d would discard what is a few seconds old.
    static func age(upTo longest: Duration) -> Self {
        let kind = OptionKind.duration(in: .zero...longest)
        return OptionKind(
            wanted: "a length of time with its unit such as 30m, 2h or 7d",
            parse: { text in
                if !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) {
                    return .wrong(because: "a unit is missing: \(text)d, \(text)h, \(text)m or \(text)s")
                }
                return kind.read(text)
            },
            text: { $0.shortText })
    }
}

extension OptionKind where Value == String {
    /// A code that a job may have failed with.
    static var errorCode: Self {
        let codes = ErrorCode.allCases.map(\.rawValue)
        return OptionKind(
            wanted: "an error code", completion: .choices(codes),
            parse: { text in
                if codes.contains(text) { return .value(text) }
                let nearest = nearestName(to: text, among: codes)
                return .wrong(
                    because: nearest.map { "“\(text)” is none; did you mean \($0)?" }
                        ?? "“\(text)” is none; known are \(codes.joined(separator: ", "))")
            }, text: { $0 })
    }
}

extension OptionKind where Value == ResultsSince {
    static var since: Self {
        OptionKind(
            wanted: "a length of time such as 10m, or the id of a result such as 1764470400000-0",
            parse: { text in
                let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                if parts.count == 2, parts.allSatisfy({ UInt64($0) != nil }) { return .value(.entry(text)) }
                return switch OptionKind<Duration>.age(upTo: FleetOptions.longest).read(text) {
                case .value(let time): .value(.ago(time))
                case .wrong(let reason): .wrong(because: reason)
                }
            },
            text: { "\($0)" })
    }
}
