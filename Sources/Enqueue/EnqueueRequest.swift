import CommandLineOptions
import Geometry
import ProgramOptions
import Redis

/// What the user wants, checked as a whole.
struct EnqueueRequest {
    /// Where the pictures come from.
    enum Source {
        case directories([String])
        /// `path` nil is standard input.
        case list(path: String?, separator: UInt8)

        /// Where was looked, for a sentence: `beneath photos`.
        var place: String {
            switch self {
            case .directories(let directories): "beneath " + directories.joined(separator: ", ")
            case .list(let path, _): "in " + (path ?? "the list on standard input")
            }
        }
    }

    let source: Source
    let relativeTo: String?
    let pointSize: PointSize
    let scales: [Double]
    let quality: Int?
    let redis: RedisAddress
    let queue: String
    /// The user's, else a new one.
    let batch: String
    let maxBacklog: Int?
    let waitsForRoom: Bool
    let failsIfEmpty: Bool
    let waits: Bool
    let printsJSON: Bool
    let isDryRun: Bool

    init(_ values: OptionValues) throws(UsageError) {
        typealias Options = EnqueueOptions
        let problems = Self.problems(values)
        guard problems.isEmpty else { throw UsageError(problems) }
        source =
            switch values[Options.filesFrom] {
            case nil: .directories(values[Options.directories])
            case let path?:
                .list(
                    path: path == "-" ? nil : path,
                    separator: values[Options.nullSeparated] ? 0 : UInt8(ascii: "\n"))
            }
        relativeTo = values[Options.relativeTo]
        pointSize = values[Options.pointSize]
        scales = values[Options.scales]
        quality = values[Options.quality]
        redis = try ConnectionOptions.address(in: values)
        queue = values[ConnectionOptions.queue]
        batch = values[Options.batch] ?? BatchName.random()
        maxBacklog = values[Options.maxBacklog]
        waitsForRoom = values[Options.waitForRoom]
        failsIfEmpty = values[Options.failIfEmpty]
        waits = values[Options.wait]
        printsJSON = values[Options.json]
        isDryRun = values[Options.dryRun]
    }

    /// What each option alone cannot tell.
    private static func problems(_ values: OptionValues) -> [OptionProblem] {
        typealias Options = EnqueueOptions
        var problems: [OptionProblem] = []
        let hasDirectories = !values[Options.directories].isEmpty
        let hasList = values[Options.filesFrom] != nil
        if !hasDirectories, !hasList {
            problems.append(.combination("expected --dir DIR or --files-from FILE, got neither"))
        }
        if hasDirectories, hasList {
            problems.append(.combination("expected either --dir or --files-from, got both"))
        }
        if values[Options.nullSeparated], !hasList {
            problems.append(.combination("--null: is about the list of --files-from, which is not given"))
        }
        if values[Options.wait], values[Options.dryRun] {
            problems.append(
                .combination("--wait: nothing is pushed with --dry-run, so nothing can be waited for"))
        }
        if values[Options.waitForRoom], values[Options.maxBacklog] == nil {
            problems.append(.combination("--wait-for-room: is about --max-backlog, which is not given"))
        }
        return problems
    }
}
