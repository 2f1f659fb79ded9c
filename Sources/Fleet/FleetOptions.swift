import CommandLineOptions
import ProgramOptions
import Units

/// What can be said to the commands of `fleet`.
enum FleetOptions {
    static let json = Option(
        flag: "json", environment: "THUMBNAIL_JSON",
        help: "Print JSON instead of text for people: one object a line.")

    static let group = OptionTable.Group(
        "Queue and output", [ConnectionOptions.redis, ConnectionOptions.queue, json])

    // MARK: status and top

    static let stalledAfter = Option(
        "stalled-after", .duration(in: .seconds(1)...longest), placeholder: "TIME", default: .seconds(60),
        environment: "THUMBNAIL_STALLED_AFTER",
        help:
            "Unhealthy when the oldest waiting job has waited so long without being claimed. A look remembers "
            + "in Redis what it saw, so this needs a look before.")

    static let interval = Option(
        "interval", .duration(in: .milliseconds(100) ... .seconds(3600)), placeholder: "TIME",
        default: .seconds(2), environment: "THUMBNAIL_TOP_INTERVAL", help: "Between two looks.")

    static let looks = Option(
        optional: "count", .integer(in: 1 ... .max), placeholder: "N", defaultText: "until it is ended",
        environment: "THUMBNAIL_TOP_COUNT", help: "End after N looks.")

    // MARK: dead, retry and discard

    static let codes = Option(
        "code", .list(of: .text(upTo: 64), upTo: 16, example: "timed_out,internal"), placeholder: "CODE,…",
        default: [], defaultText: "any", environment: "THUMBNAIL_DEAD_CODE",
        help: "Only jobs that failed with one of these error codes.")

    static let since = Option(
        optional: "since", .duration(in: .zero...longest), placeholder: "TIME",
        environment: "THUMBNAIL_DEAD_SINCE", help: "Only jobs buried in the last TIME, such as 2h.")

    static let olderThan = Option(
        optional: "older-than", .duration(in: .zero...longest), placeholder: "TIME",
        environment: "THUMBNAIL_DEAD_OLDER_THAN", help: "Only jobs buried longer ago than TIME, such as 7d.")

    static let deadLimit = Option(
        "limit", .integer(in: 1 ... .max), placeholder: "N", default: 20, environment: "THUMBNAIL_DEAD_LIMIT",
        help: "List the newest N at most.")

    static let all = Option(
        flag: "all", environment: "THUMBNAIL_DEAD_ALL", help: "Every dead job.")

    static let yes = Option(
        flag: "yes", environment: "THUMBNAIL_YES",
        help: "Do not ask. Needed for more than one job where there is no terminal.")

    static let dryRun = Option(
        flag: "dry-run", environment: "THUMBNAIL_DRY_RUN",
        help: "Say how many it would be, and change nothing.")

    // MARK: results

    static let resultLimit = Option(
        "limit", .integer(in: 1 ... .max), placeholder: "N", default: 20,
        environment: "THUMBNAIL_RESULTS_LIMIT",
        help: "Print the newest N at most, oldest first.")

    static let follow = Option(
        flag: "follow", environment: "THUMBNAIL_RESULTS_FOLLOW",
        help:
            "Go on with each result as it is published, until Ctrl-C. Waits out an outage of Redis. Says so "
            + "when it fell behind the cap of the results.")

    static let sinceResult = Option(
        optional: "since", .since, placeholder: "TIME|ID", environment: "THUMBNAIL_RESULTS_SINCE",
        help:
            "All results of the last TIME, such as 10m, or all from the one with this id on, as the stream has "
            + "it. Replaces --limit.")

    static let batch = Option(
        optional: "batch", .text(upTo: 128), placeholder: "NAME", environment: "THUMBNAIL_RESULTS_BATCH",
        help: "Only results of this batch.")

    static let failed = Option(
        flag: "failed", environment: "THUMBNAIL_RESULTS_FAILED", help: "Only jobs that failed.")

    // MARK: pause and audit

    static let reason = Option(
        "reason", .text(upTo: 256), placeholder: "TEXT", default: "paused by an operator",
        environment: "THUMBNAIL_PAUSE_REASON", help: "Why, for whoever looks at the status.")

    static let repair = Option(
        flag: "repair", environment: "THUMBNAIL_AUDIT_REPAIR",
        help:
            "Give lists of workers that have no lease a new one, so that workers reclaim their jobs when it is "
            + "over. Workers do this by themselves, only later.")

    private static let longest = Duration.seconds(10 * 365 * 86_400)
}

/// From where results are wanted.
enum ResultsSince: Sendable, Equatable {
    case ago(Duration)
    /// An entry's id, or the milliseconds of one.
    case entry(String)
}

extension OptionKind where Value == ResultsSince {
    static var since: Self {
        OptionKind(
            wanted: "a length of time such as 10m, or the id of a result such as 1764470400000-0",
            parse: { text in
                let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                if parts.count == 2, parts.allSatisfy({ UInt64($0) != nil }) { return .value(.entry(text)) }
                do throws(UnitError) { return .value(.ago(try Duration(parsing: text))) } catch {
                    return .wrong(because: error.description)
                }
            },
            text: { "\($0)" })
    }
}
