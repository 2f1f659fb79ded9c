import CommandLineOptions
import JobQueue

/// `fleet audit`: the proof that no job is missing, or how many are.
struct AuditCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console

    init(_ queue: OperatorQueue, _ place: QueuePlace, _ console: Console) {
        (self.queue, self.place, self.console) = (queue, place, console)
    }

    func run(repairs: Bool) async throws(FleetError) -> ExitStatus {
        let report = try await asking { () throws(QueueError) in try await read() }
        let repaired =
            repairs
            ? try await asking { () throws(QueueError) in try await queue.sweep().found } : []
        if place.printsJSON {
            console.say(report.json(place, repaired: repaired).text)
        } else {
            console.say(report.lines(place, console.palette, repaired: repaired).joined(separator: "\n"))
        }
        return report.isSound(repaired: repaired) ? .done : .someJobsFailed
    }

    private func read() async throws(QueueError) -> AuditReport {
        let batches = try await queue.batchNames()
        let lists = try await queue.listsWithoutLease()
        let read = Array(batches.names.prefix(OperatorQueue.batchesPerAudit))
        let audit = try await queue.audit(batches: read)
        let infos = try await queue.status().infos
        return AuditReport(
            audit, listsWithoutLease: lists.jobs, infos: infos,
            isComplete: batches.isComplete && lists.isComplete && read.count == batches.names.count)
    }
}
