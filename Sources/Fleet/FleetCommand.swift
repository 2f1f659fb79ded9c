import CommandLineOptions
import ProgramOptions

/// What the user wants, checked as a whole.
struct FleetCommand {
    enum Task {
        case status(stalledAfter: Duration)
        case top(TopRequest)
        case dead(DeadRequest)
        case decide(DecideRequest)
        case results(ResultsRequest)
        case pause(reason: String)
        case resume
        case audit(repairs: Bool)
    }

    let place: QueuePlace
    let task: Task

    init(_ table: OptionTable, _ values: OptionValues) throws(UsageError) {
        place = QueuePlace(
            redis: values[ConnectionOptions.redis], queue: values[ConnectionOptions.queue],
            printsJSON: values[FleetOptions.json])
        switch table.command {
        case FleetCommands.status.command: task = .status(stalledAfter: values[FleetOptions.stalledAfter])
        case FleetCommands.top.command: task = .top(TopRequest(values))
        case FleetCommands.dead.command: task = .dead(try DeadRequest(values))
        case FleetCommands.retry.command: task = .decide(try DecideRequest(.retry, values))
        case FleetCommands.discard.command: task = .decide(try DecideRequest(.discard, values))
        case FleetCommands.results.command: task = .results(ResultsRequest(values))
        case FleetCommands.pause.command: task = .pause(reason: values[FleetOptions.reason])
        case FleetCommands.resume.command: task = .resume
        case FleetCommands.audit.command: task = .audit(repairs: values[FleetOptions.repair])
        default: preconditionFailure("\(table.command) is not among the commands")
        }
    }

    /// Says nothing useful about a queue that does not exist. A pause and a follower may come before the
    /// first job.
    var needsQueue: Bool {
        switch task {
        case .status, .top, .dead, .decide, .audit: true
        case .results(let request): !request.follows
        case .pause, .resume: false
        }
    }
}
