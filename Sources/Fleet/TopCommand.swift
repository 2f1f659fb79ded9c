import CommandLineOptions
import JobQueue
import Synchronization

struct TopRequest: Sendable {
    let interval: Duration
    /// Nil is until it is ended.
    let looks: Int?
    let limits: HealthLimits

    init(_ values: OptionValues) {
        interval = values[FleetOptions.interval]
        looks = values[FleetOptions.looks]
        limits = HealthLimits(values)
    }
}

/// `fleet top`: look after look, drawn over each other on a terminal.
struct TopCommand: Sendable {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console
    private let signals: Signals
    private let request: TopRequest

    init(
        _ queue: OperatorQueue, _ place: QueuePlace, _ console: Console, _ signals: Signals,
        _ request: TopRequest
    ) {
        (self.queue, self.place, self.console, self.signals) = (queue, place, console, signals)
        self.request = request
    }

    func run() async throws(FleetError) -> ExitStatus {
        // Before the screen is taken: what is wrong at the start stays to be read.
        let first = try await asking { () throws(QueueError) in try await queue.status() }
        let screen = console.isTerminal && !place.printsJSON ? Screen(console) : nil
        let looking = Task { await look(from: first, on: screen) }
        signals.onNext { looking.cancel() }
        screen?.onQuit { looking.cancel() }
        await looking.value
        screen?.close()
        return .done
    }

    /// Until the looks are done or the task is cancelled. Goes on over an outage.
    private func look(from first: OperatorQueue.Status, on screen: Screen?) async {
        var status: OperatorQueue.Status? = first
        var previous: OperatorQueue.Status?
        var looks = 0
        while !Task.isCancelled {
            if let status {
                show(
                    StatusReport(status, at: place, request.limits, since: previous), on: screen, looks)
                previous = status
                looks += 1
                if looks == request.looks { return }
            }
            do { try await Task.sleep(for: request.interval) } catch { return }
            do throws(QueueError) { status = try await queue.status() } catch {
                status = nil
                tell(error, on: screen)
            }
        }
    }

    private func show(_ report: StatusReport, on screen: Screen?, _ looks: Int) {
        if place.printsJSON { return console.say(report.json.text) }
        let width = screen == nil ? nil : Console.size().columns
        let lines = report.lines(console.palette, width: width)
        if let screen {
            screen.draw(lines + ["", console.palette.paint("q ends", .dim)])
        } else {
            console.say(((looks > 0 ? [""] : []) + lines).joined(separator: "\n"))
        }
    }

    private func tell(_ error: QueueError, on screen: Screen?) {
        if let screen {
            screen.draw([console.palette.paint("Redis is away: \(error)", .red), "", "trying again; q ends"])
        } else {
            console.complain("\(error)")
        }
    }
}
