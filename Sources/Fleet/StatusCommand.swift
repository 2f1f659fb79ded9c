import CommandLineOptions
import JobQueue

/// `fleet status`: one look.
struct StatusCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console
    private let limits: HealthLimits

    init(_ queue: OperatorQueue, _ place: QueuePlace, _ console: Console, _ limits: HealthLimits) {
        (self.queue, self.place, self.console) = (queue, place, console)
        self.limits = limits
    }

    func run() async throws(FleetError) -> ExitStatus {
        let status = try await asking { () throws(QueueError) in try await queue.status() }
        let report = StatusReport(status, at: place, limits)
        if place.printsJSON {
            console.say(report.json.text)
        } else {
            let width = console.isTerminal ? Console.size().columns : nil
            console.say(report.lines(console.palette, width: width).joined(separator: "\n"))
        }
        return report.problems.isEmpty ? .done : .someJobsFailed
    }
}
