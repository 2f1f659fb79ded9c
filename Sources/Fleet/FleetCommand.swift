import CommandLineOptions
import ProgramOptions

/// What the user wants, checked as a whole.
struct FleetCommand {
    enum Task {
        case status(HealthLimits)
        case top(TopRequest)
        case dead(DeadRequest)
        case decide(DecideRequest)
        case results(ResultsRequest)
        /// All where no name is given.
        case batch([String])
        case delayed(limit: Int)
        case pause(reason: String, before: Bool)
        case resume(before: Bool)
        case audit(repairs: Bool)
    }

    let place: QueuePlace
    let task: Task

    init(_ table: OptionTable, _ values: OptionValues) throws(UsageError) {
        place = try QueuePlace(values)
        switch table.command {
        case FleetCommands.status.command: task = .status(HealthLimits(values))
        case FleetCommands.top.command: task = .top(TopRequest(values))
        case FleetCommands.dead.command: task = .dead(try DeadRequest(values))
        case FleetCommands.retry.command: task = .decide(try DecideRequest(.retry, values))
        case FleetCommands.discard.command: task = .decide(try DecideRequest(.discard, values))
        case FleetCommands.results.command: task = .results(ResultsRequest(values))
        case FleetCommands.pause.command:
            task = .pause(
                reason: values[FleetOptions.reason], before: values[FleetOptions.force])
        case FleetCommands.resume.command: task = .resume(before: values[FleetOptions.force])
        case FleetCommands.batch.command: task = .batch(values.operands)
        case FleetCommands.delayed.command: task = .delayed(limit: values[FleetOptions.delayedLimit])
        case FleetCommands.audit.command: task = .audit(repairs: values[FleetOptions.repair])
        default: preconditionFailure("\(table.command) is not among the commands")
        }
    }

    /// Says nothing useful about a queue that does not exist. A follower may come before the
    /// first job, and what is forced.
    var needsQueue: Bool {
        switch task {
        case .status, .top, .dead, .decide, .batch, .delayed, .audit: true
        case .results(let request): !request.follows
        case .pause(_, let before), .resume(let before): !before
        }
    }

    /// Goes on without a queue when it is told to.
    var mayForce: Bool {
        switch task {
        case .pause, .resume: true
        case .status, .top, .dead, .decide, .results, .batch, .delayed, .audit: false
        }
    }
}
