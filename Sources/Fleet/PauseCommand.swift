import CommandLineOptions
import JobQueue

/// `fleet pause` and `fleet resume`.
struct PauseCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console

    init(_ queue: OperatorQueue, _ place: QueuePlace, _ console: Console) {
        (self.queue, self.place, self.console) = (queue, place, console)
    }

    func pause(because reason: String) async throws(FleetError) -> ExitStatus {
        let before = try await asking { () throws(QueueError) in try await queue.pauseReason() }
        try await asking { () throws(QueueError) in try await queue.pause(because: reason) }
        try await report(before: before, isPaused: true) { audit in
            (before == nil ? "paused" : "was paused already") + " (\(printable(reason))): "
                + "\(waiting(audit.waiting)) and will not be claimed, \(running(audit.running)) on to the end; "
                + "to go on: \(place.line(["resume"]))"
        }
        return .done
    }

    func resume() async throws(FleetError) -> ExitStatus {
        let before = try await asking { () throws(QueueError) in try await queue.pauseReason() }
        try await asking { () throws(QueueError) in try await queue.resume() }
        try await report(before: before, isPaused: false) { audit in
            guard let before else {
                return "was not paused: \(waiting(audit.waiting)), \(running(audit.running))"
            }
            let alive = audit.workers.count(where: \.isAlive)
            return "resumed (was paused: \(printable(before))): \(waiting(audit.waiting)), "
                + (alive > 0
                    ? "\(count(alive, "worker")) will claim within 3 seconds"
                    : "and no worker lives: start one")
        }
        return .done
    }

    private func report(
        before: String?, isPaused: Bool, _ sentence: (OperatorQueue.Audit) -> String
    ) async throws(FleetError) {
        let audit = try await asking { () throws(QueueError) in try await queue.audit() }
        guard place.printsJSON else { return console.say("\(printable(place.queue)): \(sentence(audit))") }
        console.say(
            JSONValue.object([
                "queue": .string(place.queue), "paused": .flag(isPaused), "was_paused": .flag(before != nil),
                "waiting": .integer(audit.waiting), "running": .integer(audit.running),
            ]).text)
    }
}
