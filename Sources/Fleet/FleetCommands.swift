import CommandLineOptions
import ProgramOptions

/// The commands, each with its help.
enum FleetCommands {
    static let all = CommandSet(
        program: fleet, version: programVersion,
        summary: "looks after thumbnail workers and their queue",
        purpose:
            "Looks at a fleet of thumbnail workers and its queue in Redis, and decides about the jobs that "
            + "failed. It changes nothing unless told to by retry, discard, pause, resume or audit --repair.",
        commands: [status, top, health, dead, delayed, retry, discard, results, batch, pause, resume, audit])

    static let description = ProgramDescription(
        all, references: .init(seeAlso: ProgramNames.pages(but: fleet) + ["redis-cli(1)"]))

    private static let fleet = ProgramNames.fleet
    private typealias Options = FleetOptions

    private static func table(
        _ name: String, summary: String, purpose: String, operands: OptionTable.Operands = .none,
        _ groups: [OptionTable.Group] = [], examples: [OptionTable.Example],
        one: String? = nil
    ) -> OptionTable {
        OptionTable(
            command: "\(fleet) \(name)", version: programVersion, summary: summary, purpose: purpose,
            operands: operands, groups: groups + [Options.group], examples: examples,
            exitStatuses: [.done] + (one == nil ? [] : [.someJobsFailed])
                + [.usage, .redisUnreachable, .configuration, .interrupted],
            meanings: [
                .someJobsFailed: one ?? "", .configuration: "no such queue, or no access to it",
                .interrupted: "interrupted",
            ])
    }

    static let status = table(
        "status", summary: "how the queue, the workers and Redis are; exits with 1 when unhealthy",
        purpose:
            "Tells what waits, runs, is delayed and is dead, how each worker is, how fast jobs are settled and "
            + "why they fail, and what is wrong, one line each. Serves as a check: exits with 1 when something "
            + "is wrong.",
        [.init("Health", Options.health)],
        examples: [
            .init("\(fleet) status", "Look."),
            .init("\(fleet) status --json | jq .problems", "What is wrong, for a program."),
            .init("\(fleet) status >/dev/null || page-someone", "A check for cron."),
        ], one: "unhealthy; each reason is printed")

    static let top = table(
        "top", summary: "the same, live",
        purpose:
            "Shows the status and draws it anew at each look. q or Ctrl-C ends it. Where standard output is no "
            + "terminal it prints one block after the other.",
        [.init("Looks", [Options.interval, Options.looks]), .init("Health", Options.health)],
        examples: [
            .init("\(fleet) top", "Watch."),
            .init("\(fleet) top --interval 10s --json >> fleet.jsonl", "Record, one object a look."),
        ])

    /// Apart from the others, since it asks a worker and not Redis.
    static let health = OptionTable(
        command: "\(fleet) health", version: programVersion,
        summary: "ask one worker whether it lives; exits with 1 when it does not",
        purpose:
            "Asks the worker that listens at one address (its --listen) how it is, and prints the answer. For a "
            + "container's health check and other supervisors; needs no Redis.",
        groups: [.init("Which, and how", [Options.worker, Options.ready, Options.patience, Options.json])],
        examples: [
            .init("\(fleet) health", "The worker at \(Options.worker.facts.defaultText ?? "")."),
            .init(
                "HEALTHCHECK CMD [\"\(fleet)\", \"health\"]", "In a Dockerfile, with THUMBNAIL_LISTEN set."),
            .init("\(fleet) health --worker 127.0.0.1:9465 --ready", "Does the second one claim jobs?"),
        ],
        exitStatuses: [.done, .someJobsFailed, .usage],
        meanings: [
            .done: "it lives, or with --ready it claims jobs",
            .someJobsFailed: "it does not, or nobody answers; the reason is printed",
        ])

    static let dead = table(
        "dead", summary: "list failed jobs, or show one whole",
        purpose:
            "Lists the jobs that failed for good, the newest first. With an ID, of a job or of an entry of the "
            + "list, it shows each such job whole: its error, its bytes, whose fault it is and what to do.",
        operands: .some(placeholder: "ID", atLeast: 0),
        [.init("Which", [Options.codes, Options.since, Options.olderThan, Options.deadLimit])],
        examples: [
            .init("\(fleet) dead", "The newest 20."),
            .init("\(fleet) dead --code output_unwritable --since 2h", "Those of a full disk tonight."),
            .init("\(fleet) dead j06dede264e8de8f1", "One, with everything that is known."),
            .init("\(fleet) dead --json --limit 10000 | jq -r .source", "Sources of all of them."),
        ], one: "no dead job has this id")

    static let retry = table(
        "retry", summary: "put failed jobs back into the queue",
        purpose:
            "Puts dead jobs back behind what waits, byte for byte as they were pushed, with all their attempts "
            + "before them. Each comes back once, however many operators ask for it. Their batches count them "
            + "as open again. A retried job publishes one more result. Asks before it takes more than one.",
        operands: .some(placeholder: "ID", atLeast: 0),
        [decision],
        examples: [
            .init("\(fleet) retry j06dede264e8de8f1", "One job."),
            .init("\(fleet) retry --code output_unwritable", "After the disk was cleared."),
            .init("\(fleet) retry --all --dry-run", "How many it would be, by code."),
        ], one: "no dead job has this id")

    static let discard = table(
        "discard", summary: "delete failed jobs for good",
        purpose:
            "Deletes dead jobs. The failures that were published stay as they are, and so do the counts of "
            + "their batches. Asks before it takes more than one.",
        operands: .some(placeholder: "ID", atLeast: 0),
        [decision],
        examples: [
            .init(
                "\(fleet) discard --code not_an_image --older-than 7d", "What nobody asked about in a week."),
            .init("\(fleet) discard --all --yes", "All, without a question."),
        ], one: "no dead job has this id")

    private static let decision = OptionTable.Group(
        "Which, and how",
        [Options.codes, Options.since, Options.olderThan, Options.all, Options.yes, Options.dryRun])

    static let results = table(
        "results", summary: "the latest results, or each as it comes",
        purpose:
            "Prints the results of jobs, finished and failed, oldest first: one line each, or with --json the "
            + "JSON objects as they were published.",
        [
            .init(
                "Which",
                [
                    Options.resultLimit, Options.sinceResult, Options.batch, Options.failed, Options.follow,
                ])
        ],
        examples: [
            .init("\(fleet) results --follow", "Watch them come."),
            .init("\(fleet) results --since 10m --failed", "What failed lately."),
            .init(
                "\(fleet) results --batch b1 --limit 100000 --json | jq -r '.outputs[].path'",
                "Files of a batch."),
        ])

    static let batch = table(
        "batch", summary: "how far a batch is, and why its jobs failed",
        purpose:
            "Without a NAME it lists the batches that Redis still knows, one line each. With NAMEs it tells of each "
            + "how many jobs are done, failed and open, and the failures by error code.",
        operands: .some(placeholder: "NAME", atLeast: 0),
        examples: [
            .init("\(fleet) batch", "All of them."),
            .init("\(fleet) batch album-9", "One, with its failures."),
            .init("\(fleet) results --batch album-9 --failed", "Each failure of it."),
        ], one: "no batch has this name")

    static let delayed = table(
        "delayed", summary: "list jobs that wait for their next attempt, or for a newer worker",
        purpose:
            "Lists the jobs that nobody may claim yet, those that are due first: jobs that failed and are tried "
            + "again, and jobs of a version that their worker does not know.",
        [.init("Which", [Options.delayedLimit])],
        examples: [.init("\(fleet) delayed --limit 100", "The next 100.")])

    static let pause = table(
        "pause", summary: "let workers claim nothing more",
        purpose:
            "From now on no worker claims a job; what runs goes on to its end, and producers may go on pushing. "
            + "A worker that is just falling asleep may take one more. Pausing twice changes the reason only.",
        [.init("How", [Options.reason, Options.force])],
        examples: [.init("\(fleet) pause --reason 'moving the disk'", "Until \(fleet) resume.")])

    static let resume = table(
        "resume", summary: "let workers claim again",
        purpose: "Ends a pause. Workers hear of it within 3 seconds. Nothing happens when there is none.",
        [.init("How", [Options.force])],
        examples: [.init("\(fleet) resume", "Go on.")])

    static let audit = table(
        "audit", summary: "prove that no job is missing",
        purpose:
            "Counts in one moment, by Redis: every job taken from the queue is finished, buried, back in the "
            + "queue or delayed, or in a worker's list; and each batch adds up. Also finds lists of workers "
            + "without a lease. Walks over the names of all keys, in steps that disturb nobody.",
        [.init("Repair", [Options.repair])],
        examples: [
            .init("\(fleet) audit", "Is any job missing?"),
            .init("\(fleet) audit --repair", "Bring back jobs whose worker's lease was deleted."),
        ], one: "jobs are missing, or lie in a list without a lease")
}
