import CommandLineOptions
import EventLog
import HTTP
import JobQueue
import ProgramOptions
import Redis
import Thumbnails
import Units

/// How a worker gets its jobs.
enum FetchMode: String, CaseIterable, Sendable {
    /// Claimed: the job stays in Redis until it is settled.
    case claim
    /// Plain BRPOP: gone from Redis when it is taken, and lost with the worker.
    case brpop
}

/// Whether a worker gives up the rights that it does not need.
enum SandboxMode: String, CaseIterable, Sendable {
    /// As far as the kernel can.
    case auto
    case off
}

/// All that a worker can be told.
struct WorkerOptions: Sendable {
    let redis: RedisAddress
    let queue: String
    let fetch: FetchMode
    let drains: Bool
    let drainTimeout: Duration
    let allowsEviction: Bool
    let sourceRoots: [String]
    let output: String
    let isDurable: Bool
    let rendering: RenderOptions
    let jobTimeout: Duration
    /// Nil: the share of what the machine or the container has.
    let memoryBudget: ByteCount?
    let sandbox: SandboxMode
    /// Nil: nobody asks.
    let listen: HostAndPort?
    let logLevel: LogLevel
    let logFormat: LogFormat

    /// Smaller than this, not even a small photograph's job fits.
    static let smallestBudget = ByteCount.mebibytes(4)

    static let fetchOption = Option(
        "fetch", .choice, placeholder: "MODE", default: FetchMode.claim, environment: "THUMBNAIL_FETCH",
        help: "claim keeps a job in Redis until it is settled, so that no crash loses it; brpop takes it "
            + "out at once, and a job whose worker dies is lost.")
    static let drainOption = Option(
        flag: "drain", environment: "THUMBNAIL_DRAIN",
        help: "Exit when nothing waits, runs or is delayed in the queue, instead of waiting for more.")
    static let drainTimeoutOption = Option(
        "drain-timeout", .duration(in: .zero ... .seconds(3600)), placeholder: "TIME", default: .seconds(25),
        environment: "THUMBNAIL_DRAIN_TIMEOUT",
        help: "After SIGTERM, how long running jobs may finish before they are given back to the queue.")
    static let allowEvictionOption = Option(
        flag: "allow-eviction", environment: "THUMBNAIL_ALLOW_EVICTION",
        help: "Start although Redis may evict keys when its memory is full, which loses jobs.")

    static let sourceRootOption = Option(
        repeated: "source-root", .directory, placeholder: "DIR", default: ["."],
        defaultText: "the current directory", environment: "THUMBNAIL_SOURCE_ROOTS",
        help: "Read sources beneath this directory and nowhere else. A job's relative path is looked up in "
            + "each root in turn.")
    static let outputOption = Option(
        required: "output", .directory, placeholder: "DIR", environment: "THUMBNAIL_OUTPUT",
        help: "Write thumbnails beneath this directory. It is made if it is missing.")
    static let fsyncOption = Option(
        flag: "fsync", environment: "THUMBNAIL_FSYNC",
        help: "Settle a job only when its thumbnails are on the disk, not only in the kernel's cache.")

    static let linearOption = Option(
        flag: "linear", environment: "THUMBNAIL_LINEAR",
        help: "Average light instead of stored values: right for fine bright detail on dark ground, slower, "
            + "and unlike ImageIO.")
    static let fastOption = Option(
        flag: "fast", environment: "THUMBNAIL_FAST",
        help: "Decode a little smaller, such as at 1/8 already where a picture is 12 times its thumbnail: up "
            + "to twice as fast, a little softer (0.3 dB at quality 80, 2 dB of text). No effect with --linear."
    )
    static let acceptPartialOption = Option(
        flag: "accept-partial", environment: "THUMBNAIL_ACCEPT_PARTIAL",
        help: "Make a thumbnail of a damaged or truncated picture too; its result says partial.")
    static let maxPixelsOption = Option(
        "max-pixels", .integer(in: 1...Int(Int32.max)), placeholder: "N",
        default: RenderOptions.defaultPixelLimit, environment: "THUMBNAIL_MAX_PIXELS",
        help: "Refuse pictures that claim more pixels.")
    static let jobTimeoutOption = Option(
        "job-timeout", .duration(in: .milliseconds(100) ... .seconds(86_400)), placeholder: "TIME",
        default: .seconds(120), environment: "THUMBNAIL_JOB_TIMEOUT",
        help: "Give up on a picture whose decoding takes longer.")

    static let memoryBudgetOption = Option(
        optional: "memory-budget", .byteCount(in: smallestBudget ... .max), placeholder: "BYTES",
        defaultText: "60 % of the container's limit, else of the available memory",
        environment: "THUMBNAIL_MEMORY_BUDGET",
        help: "What all jobs of this worker together may hold. As many run at a time as fit; there is no "
            + "thread count.")

    static let sandboxOption = Option(
        "sandbox", .choice, placeholder: "MODE", default: SandboxMode.auto, environment: "THUMBNAIL_SANDBOX",
        help:
            "auto: before the first job, give up what is not needed, as far as the kernel can: from then on "
            + "the worker reads beneath the sources, writes beneath the output, connects to Redis and starts "
            + "no program. off: keep all rights of its user.")

    static let listenOption = Option(
        optional: "listen", .hostAndPort, placeholder: "HOST:PORT", defaultText: "off",
        environment: "THUMBNAIL_LISTEN",
        help:
            "Answer over HTTP how the worker is: /metrics for Prometheus, /livez and /readyz for supervisors. "
            + "\(HostAndPort.defaultOfWorker) is the usual place; port 0 takes any that is free. Whoever reaches it "
            + "may ask.")

    static let table = OptionTable(
        command: ProgramNames.worker, version: programVersion,
        summary: "turns queued photographs into thumbnails",
        purpose: "Claims jobs from a Redis list, makes the thumbnails and publishes one result a job. Runs "
            + "until it is told to stop: SIGTERM lets running jobs finish, a second one gives them back. "
            + "Start as many workers as you like, on as many machines as can reach Redis and the pictures.",
        groups: [
            OptionTable.Group("Pictures", [sourceRootOption, outputOption, fsyncOption]),
            OptionTable.Group("Memory", [memoryBudgetOption]),
            OptionTable.Group("Safety", [sandboxOption]),
            OptionTable.Group(
                "Rendering",
                [linearOption, fastOption, acceptPartialOption, maxPixelsOption, jobTimeoutOption]),
            OptionTable.Group(
                "Queue",
                ConnectionOptions.ofRedis + [
                    ConnectionOptions.queue, fetchOption, drainOption, drainTimeoutOption,
                    allowEvictionOption,
                ]),
            OptionTable.Group("Metrics and health", [listenOption]),
            LogOptions.group,
        ],
        examples: [
            OptionTable.Example(
                "\(ProgramNames.worker) --source-root /srv/photos --output /srv/thumbs",
                "Serves the queue of the Redis on this machine."),
            OptionTable.Example(
                "\(ProgramNames.worker) --output thumbs --redis unix:///run/redis/redis.sock "
                    + "--memory-budget 512MiB --drain",
                "Works off what is queued with at most 512 MiB for pictures, then exits."),
        ],
        exitStatuses: [.done, .usage, .redisUnreachable, .folderDisplaced, .configuration])

    static let description = ProgramDescription(
        table,
        references: .init(
            seeAlso: ProgramNames.pages(but: ProgramNames.worker) + ["redis-server(1)", "systemd.service(5)"])
    )

    init(_ values: OptionValues) throws(UsageError) {
        redis = try ConnectionOptions.address(in: values)
        queue = values[ConnectionOptions.queue]
        fetch = values[Self.fetchOption]
        drains = values[Self.drainOption]
        drainTimeout = values[Self.drainTimeoutOption]
        allowsEviction = values[Self.allowEvictionOption]
        sourceRoots = values[Self.sourceRootOption]
        output = values[Self.outputOption]
        isDurable = values[Self.fsyncOption]
        rendering = RenderOptions(
            usesLinearLight: values[Self.linearOption], isFast: values[Self.fastOption],
            acceptsPartial: values[Self.acceptPartialOption], pixelLimit: values[Self.maxPixelsOption])
        jobTimeout = values[Self.jobTimeoutOption]
        memoryBudget = values[Self.memoryBudgetOption]
        sandbox = values[Self.sandboxOption]
        listen = values[Self.listenOption]
        logLevel = values[LogOptions.level]
        logFormat = values[LogOptions.format]
    }
}
