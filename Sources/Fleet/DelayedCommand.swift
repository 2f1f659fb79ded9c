import CommandLineOptions
import JobQueue
import Units

/// `fleet delayed`: what waits for its next attempt, or for a newer worker.
struct DelayedCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console

    init(_ queue: OperatorQueue, _ place: QueuePlace, _ console: Console) {
        (self.queue, self.place, self.console) = (queue, place, console)
    }

    func run(limit: Int) async throws(FleetError) -> ExitStatus {
        let jobs = try await asking { () throws(QueueError) in try await queue.delayed(first: limit) }
        if place.printsJSON {
            for job in jobs { console.say(job.json.text) }
            return .done
        }
        guard !jobs.isEmpty else {
            console.say("no delayed job")
            return .done
        }
        var table = TextTable([
            ("DUE", .right), ("FAILED", .right), ("WHY", .left), ("ID", .left), ("SOURCE", .left),
        ])
        for job in jobs {
            table.append([
                job.due > .zero ? "in \(job.due.shortText)" : "now", "\(job.failedAttempts)", job.reason,
                printable(job.id), job.source.map { printable($0) } ?? "-",
            ])
        }
        let lines = table.lines(width: console.isTerminal ? Console.size().columns : nil)
        console.say(([console.palette.paint(lines[0], .dim)] + lines.dropFirst()).joined(separator: "\n"))
        if jobs.count == limit { console.complain("these are the first \(grouped(limit)): --limit N") }
        return .done
    }
}

extension OperatorQueue.DelayedJob {
    fileprivate var reason: String {
        waitsForNewerWorker ? "version \(version.map { "\($0)" } ?? "?")" : "tried again"
    }

    fileprivate var json: JSONValue {
        .object([
            "id": .string(id), "source": .optional(source), "due_seconds": .optional(due),
            "failed_attempts": .integer(failedAttempts), "newer_version": .flag(waitsForNewerWorker),
            "version": .optional(version),
        ])
    }
}
