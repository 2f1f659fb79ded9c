import CommandLineOptions
import JobQueue
import ProgramOptions
import Synchronization

struct DecideRequest: Sendable {
    enum Decision: Sendable {
        case retry, discard

        var verb: String { self == .retry ? "retry" : "discard" }
        var past: String { self == .retry ? "retried" : "discarded" }
    }

    let decision: Decision
    let selection: DeadSelection
    let asks: Bool
    let isDryRun: Bool

    init(_ decision: Decision, _ values: OptionValues) throws(UsageError) {
        self.decision = decision
        selection = try DeadSelection(values)
        asks = !values[FleetOptions.yes]
        isDryRun = values[FleetOptions.dryRun]
        let isAll = values[FleetOptions.all]
        let hasMore = !selection.names.isEmpty || selection.isFiltered
        guard isAll != hasMore else {
            throw UsageError([
                .combination(
                    hasMore
                        ? "--all: expected it alone, got ids, --code, --since or --older-than as well"
                        : "expected the ids of jobs, --code, --since, --older-than, or --all, got nothing")
            ])
        }
    }
}

/// `fleet retry` and `fleet discard`: looks which jobs are meant, asks, and decides about exactly those, in
/// steps that are whole or not at all.
struct DecideCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console
    private let signals: Signals
    private let request: DecideRequest

    /// Between two words on how far it is.
    private static let pace = Duration.seconds(2)

    init(
        _ queue: OperatorQueue, _ place: QueuePlace, _ console: Console, _ signals: Signals,
        _ request: DecideRequest
    ) {
        (self.queue, self.place, self.console, self.signals) = (queue, place, console, signals)
        self.request = request
    }

    func run() async throws(FleetError) -> ExitStatus {
        var entries: [String] = []
        var codes: [String: Int] = [:]
        try await request.selection.forEach(in: queue) { job in
            entries.append(job.entry)
            codes[job.code, default: 0] += 1
            return true
        }
        // The oldest first, as they were pushed.
        entries.reverse()
        guard !entries.isEmpty, !request.isDryRun else {
            report(.init(), of: entries.count, codes)
            return .done
        }
        guard try await isConfirmed(entries.count, codes) else {
            console.complain("nothing was done")
            return .done
        }
        return try await decide(entries, codes)
    }

    private func isConfirmed(_ number: Int, _ codes: [String: Int]) async throws(FleetError) -> Bool {
        guard request.asks, number > 1 else { return true }
        let what =
            "\(request.decision.verb) \(count(number, "job"))\(request.selection.ageText) (\(list(codes)))"
            + hopeless(codes)
        guard console.canAsk else { throw .needsConfirmation(what) }
        return await console.confirms("\(what) of \(printable(place.queue))?")
    }

    /// What a retry cannot help.
    private func hopeless(_ codes: [String: Int]) -> String {
        let some = codes.filter { FailureAdvice.liesInJob($0.key) }
        guard request.decision == .retry, !some.isEmpty else { return "" }
        return "; \(list(some)) will fail again, for the job or its picture is to blame"
    }

    private func decide(_ entries: [String], _ codes: [String: Int]) async throws(FleetError) -> ExitStatus {
        let stop = StopFlag()
        signals.onNext { stop.isSet.store(true, ordering: .relaxed) }
        var decided = OperatorQueue.Decided()
        var lastWord = ContinuousClock.now
        var rest = entries[...]
        while !rest.isEmpty, !stop.isSet.load(ordering: .relaxed) {
            let some = Array(rest.prefix(OperatorQueue.deadPerCall))
            rest = rest.dropFirst(some.count)
            decided = try await step(some, after: decided)
            if ContinuousClock.now - lastWord >= Self.pace {
                lastWord = .now
                console.complain(
                    "\(request.decision.past) \(grouped(decided.done)) of \(grouped(entries.count))")
            }
        }
        report(decided, of: entries.count, codes)
        return rest.isEmpty ? .done : .interrupted
    }

    private func step(
        _ entries: [String], after decided: OperatorQueue.Decided
    ) async throws(FleetError) -> OperatorQueue.Decided {
        do throws(QueueError) {
            return switch request.decision {
            case .retry: decided + (try await queue.retryDead(entries))
            case .discard: decided + (try await queue.discardDead(entries))
            }
        } catch {
            if decided.done > 0 {
                console.complain("\(request.decision.past) \(count(decided.done, "job")) until now")
            }
            throw .queue(error)
        }
    }

    private func report(_ decided: OperatorQueue.Decided, of number: Int, _ codes: [String: Int]) {
        if place.printsJSON {
            return console.say(
                JSONValue.object([
                    "queue": .string(place.queue), "matched": .integer(number), "by_code": .counts(codes),
                    "dry_run": .flag(request.isDryRun),
                    request.decision.past: .integer(decided.done), "gone": .integer(decided.gone),
                    "unusable": .integer(decided.unusable),
                ]).text)
        }
        if number == 0 {
            return console.say(
                request.selection.isFiltered
                    ? "nothing to \(request.decision.verb): no dead job is like this"
                    : "nothing to \(request.decision.verb): no dead job")
        }
        let age = request.selection.ageText
        if request.isDryRun {
            return console.say(
                "would \(request.decision.verb) \(count(number, "job"))\(age) (\(list(codes)))\(hopeless(codes))"
            )
        }
        var text = "\(request.decision.past) \(count(decided.done, "job"))\(age)"
        if decided.gone > 0 {
            text +=
                "; \(grouped(decided.gone)) \(decided.gone == 1 ? "was" : "were") gone already: decided by "
                + "somebody else, cut off, or done by a call whose answer got lost"
        }
        if decided.unusable > 0 {
            text += "; \(grouped(decided.unusable)) stay: entries without a job, written by somebody else"
        }
        let left = number - decided.done - decided.gone - decided.unusable
        if left > 0 { text += "; interrupted, \(grouped(left)) are left" }
        console.say(text + hopeless(codes))
    }
}

/// Set by a signal, read between two steps.
private final class StopFlag: Sendable {
    let isSet = Atomic(false)
}
