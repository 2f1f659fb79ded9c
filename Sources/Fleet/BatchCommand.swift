import CommandLineOptions
import JobQueue
import ProgramOptions

/// `fleet batch`: how far batches are.
struct BatchCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console

    init(_ queue: OperatorQueue, _ place: QueuePlace, _ console: Console) {
        (self.queue, self.place, self.console) = (queue, place, console)
    }

    func run(_ names: [String]) async throws(FleetError) -> ExitStatus {
        guard names.isEmpty else {
            for name in names { try await tell(name) }
            return .done
        }
        let known = try await asking { () throws(QueueError) in try await queue.batchNames() }
        for name in known.names { try await tellBriefly(name) }
        if known.names.isEmpty, !place.printsJSON { console.say("no batch") }
        if !known.isComplete { console.complain("there were too many keys to look at all of them") }
        return .done
    }

    /// One whole.
    private func tell(_ name: String) async throws(FleetError) {
        let batch = try await asking { () throws(QueueError) in try await queue.batch(name) }
        guard let batch else { throw .noSuchBatch(name) }
        if place.printsJSON { return console.say(json(batch).text) }
        console.say(line(batch.counts))
        for (code, count) in mostFrequent(batch.failures) {
            console.say("  \(grouped(count)) \(code): \(FailureAdvice.advice(for: code))")
        }
        if batch.counts.failed > 0 {
            console.say(
                "  each of them: " + place.line(["results", "--batch", name, "--failed", "--since", "7d"]))
        }
    }

    /// One of many; it may have expired meanwhile.
    private func tellBriefly(_ name: String) async throws(FleetError) {
        let batch = try await asking { () throws(QueueError) in try await queue.batch(name) }
        guard let batch else { return }
        if place.printsJSON { return console.say(json(batch).text) }
        console.say(line(batch.counts) + (batch.failures.isEmpty ? "" : ": " + list(batch.failures)))
    }

    private func line(_ batch: OperatorQueue.Audit.Batch) -> String {
        let name = console.palette.paint(printable(batch.name), .bold)
        let counts = "\(grouped(batch.finished)) done, \(grouped(batch.failed)) failed"
        guard let total = batch.total else { return "\(name): \(counts), of an unknown total" }
        let settled = batch.finished + batch.failed
        let percent = total > 0 ? min(100, settled * 100 / total) : 100
        return
            "\(name): \(percent) %, \(counts), \(grouped(max(0, batch.open))) open of \(count(total, "job"))"
    }

    private func json(_ batch: (counts: OperatorQueue.Audit.Batch, failures: [String: Int])) -> JSONValue {
        .object([
            "batch": .string(batch.counts.name), "total": .optional(batch.counts.total),
            "finished": .integer(batch.counts.finished), "failed": .integer(batch.counts.failed),
            "open": batch.counts.total == nil ? .null : .integer(batch.counts.open),
            "errors": .counts(batch.failures),
        ])
    }
}
