import CommandLineOptions
import Geometry
import ProgramOptions

/// What can be said to `enqueue`.
enum EnqueueOptions {
    static let directories = Option(
        repeated: "dir", .directory, placeholder: "DIR", default: [], environment: "THUMBNAIL_DIR",
        help:
            "Enqueue every JPEG picture beneath DIR, in a stable order. The first bytes of a file decide what it "
            + "is, not its name. Links are followed to files that lie beneath DIR themselves.")

    static let filesFrom = Option(
        optional: "files-from", .file, placeholder: "FILE", environment: "THUMBNAIL_FILES_FROM",
        help:
            "Enqueue the files that are listed in FILE, one a line, or on standard input if FILE is -. Listed "
            + "files are not looked at: they may lie on the workers' machines only.")

    static let nullSeparated = Option(
        flag: "null", environment: "THUMBNAIL_NULL",
        help: "Names in the list end with a zero byte instead of a newline, as from find -print0.")

    static let relativeTo = Option(
        optional: "relative-to", .directory, placeholder: "DIR", environment: "THUMBNAIL_RELATIVE_TO",
        help:
            "Push paths relative to DIR instead of absolute ones, for workers that see the same files under "
            + "another name; they start them at their own source root.")

    static let pointSize = Option(
        required: "pt", .pointSize, placeholder: "WxH", environment: "THUMBNAIL_PT",
        help: "The box that a thumbnail has to fit into, in points.")

    static let scales = Option(
        "scale", .list(of: .positiveNumber(example: "3"), upTo: mostScales, example: "1,2,3"),
        placeholder: "S,…",
        default: [1], environment: "THUMBNAIL_SCALE",
        help: "Pixels a point of the display. Several make one thumbnail each, from one decoded picture.")

    static let quality = Option(
        optional: "quality", .integer(in: 1...100), placeholder: "N", defaultText: "the worker's, 80",
        environment: "THUMBNAIL_QUALITY", help: "JPEG quality of the thumbnails, from 1 to 100.")

    static let batch = Option(
        optional: "batch", .text(upTo: longestName), placeholder: "NAME", defaultText: "a new one",
        environment: "THUMBNAIL_BATCH", help: "The name under which these jobs are counted together.")

    static let maxBacklog = Option(
        optional: "max-backlog", .integer(in: 1 ... .max), placeholder: "N", defaultText: "no limit",
        environment: "THUMBNAIL_MAX_BACKLOG",
        help: "Push nothing that would let more than N jobs wait; exit with 75 when the queue is full.")

    static let waitForRoom = Option(
        flag: "wait-for-room", environment: "THUMBNAIL_WAIT_FOR_ROOM",
        help: "With --max-backlog: wait while the queue is full, and push the rest as workers take jobs.")

    static let failIfEmpty = Option(
        flag: "fail-if-empty", environment: "THUMBNAIL_FAIL_IF_EMPTY",
        help:
            "Exit with 66 when there is nothing to enqueue, as when a disk is not mounted. Without it an empty "
            + "directory or list is no error.")

    static let wait = Option(
        flag: "wait", environment: "THUMBNAIL_WAIT",
        help: "Wait until all jobs are done, show how far they are, and sum up the errors at the end.")

    static let json = Option(
        flag: "json", environment: "THUMBNAIL_JSON",
        help: "Print one JSON object at the end, and nothing else on standard output.")

    static let dryRun = Option(
        flag: "dry-run", environment: "THUMBNAIL_DRY_RUN",
        help: "Print the jobs instead of pushing them, one a line. Needs no Redis.")

    /// As many as one job may have.
    static let mostScales = 16
    /// As long as a job's batch may be.
    static let longestName = 128

    private static let program = ProgramNames.enqueue
    static let table = OptionTable(
        command: ProgramNames.enqueue, version: programVersion, summary: "put pictures into the queue",
        purpose:
            "Finds pictures, pushes one job for each on a Redis list, and says how many. Workers turn them "
            + "into thumbnails that fit into a box of points, at the scales of the displays they are for. With "
            + "--wait it stays until all are done.",
        groups: [
            .init("Pictures", [directories, filesFrom, nullSeparated, relativeTo, failIfEmpty]),
            .init("Thumbnails", [pointSize, scales, quality]),
            .init(
                "Queue",
                ConnectionOptions.ofRedis + [ConnectionOptions.queue, batch, maxBacklog, waitForRoom]),
            .init("Output", [wait, json, dryRun]),
        ],
        examples: [
            .init("\(program) --dir photos --pt 120x120 --scale 3", "Enqueue all pictures beneath photos."),
            .init(
                "\(program) --dir photos --pt 120x120 --scale 1,2,3 --wait",
                "Three thumbnails of each, and wait for them; exits with 1 if a job failed."),
            .init(
                "find photos -newer stamp -print0 | \(program) --files-from - --null --pt 120x120 --scale 2",
                "Enqueue what another program chose."),
            .init(
                "\(program) --dir /mnt/photos --relative-to /mnt/photos --pt 120x120",
                "Push paths that mean the same on every machine."),
            .init("\(program) --dir photos --pt 120x120 --dry-run | head", "Look first."),
        ],
        exitStatuses: [
            .done, .someJobsFailed, .usage, .noInput, .redisUnreachable, .queueFull, .configuration,
            .interrupted,
        ])

    static let description = ProgramDescription(
        table, references: .init(seeAlso: ProgramNames.pages(but: program) + ["find(1)"]))
}

extension OptionKind where Value == PointSize {
    static var pointSize: Self {
        OptionKind(
            wanted: "a width and a height in points such as 120x120 or 533.4x1000",
            parse: { text in
                do throws(GeometryError) {
                    return .value(try PointSize(text))
                } catch {
                    return .wrong(because: nil)
                }
            },
            text: { $0.description })
    }
}
