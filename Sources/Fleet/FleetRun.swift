import CommandLineOptions
import JobQueue
import ProgramOptions
import Redis

/// One command against Redis: connects, makes sure that the queue is the one that was meant, performs, and
/// says what a person can do when it cannot.
struct FleetRun: Sendable {
    private let command: FleetCommand
    private let console: Console
    private let signals: Signals
    private let queue: OperatorQueue

    init(_ command: FleetCommand, console: Console, signals: Signals) {
        self.command = command
        self.console = console
        self.signals = signals
        queue = OperatorQueue(
            QueueKeys(queue: command.place.queue), client: RedisClient(command.place.redis, name: "fleet"))
    }

    func run() async -> ExitStatus {
        do throws(FleetError) {
            if command.needsQueue { try await checkExistence() }
            return try await perform()
        } catch {
            console.complain("\(error)")
            for advice in error.advice(at: command.place, mayForce: command.mayForce) {
                console.complain(advice)
            }
            return error.exitStatus
        }
    }

    private func perform() async throws(FleetError) -> ExitStatus {
        let place = command.place
        switch command.task {
        case .status(let limits): return try await StatusCommand(queue, place, console, limits).run()
        case .top(let request):
            return try await TopCommand(queue, place, console, signals, request).run()
        case .dead(let request): return try await DeadCommand(queue, place, console, request).run()
        case .decide(let request):
            return try await DecideCommand(queue, place, console, signals, request).run()
        case .results(let request):
            return try await ResultsCommand(queue, place, console, signals, request).run()
        case .batch(let names): return try await BatchCommand(queue, place, console).run(names)
        case .delayed(let limit): return try await DelayedCommand(queue, place, console).run(limit: limit)
        case .pause(let reason, _):
            return try await PauseCommand(queue, place, console).pause(because: reason)
        case .resume: return try await PauseCommand(queue, place, console).resume()
        case .audit(let repairs): return try await AuditCommand(queue, place, console).run(repairs: repairs)
        }
    }

    /// A wrong name or a wrong database looks like a queue with nothing in it, and like health.
    private func checkExistence() async throws(FleetError) {
        let traces: OperatorQueue.Traces? = try await asking { () throws(QueueError) in
            try await queue.exists() ? nil : try await queue.traces()
        }
        if let traces { throw .noSuchQueue(traces) }
    }
}

/// Calls the queue, with its errors as the program's.
func asking<Value>(
    _ call: () async throws(QueueError) -> Value
) async throws(FleetError) -> Value {
    do throws(QueueError) { return try await call() } catch { throw .queue(error) }
}
