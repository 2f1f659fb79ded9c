/// What a model remembers beside its state: which jobs there are, and how often each was pushed and settled.
struct Ledger: Sendable {
    private var jobs: [[UInt8]: ModelJob] = [:]
    private(set) var pushed: [[UInt8]: Int] = [:]
    private(set) var settled: [[UInt8]: Int] = [:]
    /// By batch.
    private(set) var reopened: [String: Int] = [:]

    mutating func push(_ job: ModelJob) {
        jobs[job.raw] = job
        pushed[job.raw, default: 0] += 1
    }

    mutating func settle(_ job: ModelJob) { settled[job.raw, default: 0] += 1 }

    /// An operator retries a dead job: it is open again, and its batch counts one failure less than it published.
    mutating func reopen(_ job: ModelJob) {
        settled[job.raw, default: 0] -= 1
        if let batch = job.batch { reopened[batch, default: 0] += 1 }
    }

    /// The job of bytes that were pushed.
    func job(_ raw: [UInt8]) -> ModelJob {
        guard let job = jobs[raw] else { preconditionFailure("a job that nobody pushed: \(raw)") }
        return job
    }
}

extension QueueModel {
    /// The promises that are broken in this state, for people; empty unless the model itself is wrong.
    ///
    /// - Parameter before: the state before `move`, which `outcome` answered.
    public func brokenPromises(after move: Move, _ outcome: Outcome, before: QueueState) -> [String] {
        var broken: [String] = []
        func promise(_ what: String, _ holds: Bool) { if !holds { broken.append(what) } }

        var places = ledger.settled
        for raw in state.waiting + state.lists.values.joined() + popped.map(\.raw) {
            places[raw, default: 0] += 1
        }
        for delayed in state.delayed {
            places[Array(delayed.member.drop { $0 != UInt8(ascii: ":") }.dropFirst()), default: 0] += 1
        }
        promise(
            "every push is in exactly one place",
            places.filter { $0.value != 0 } == ledger.pushed)

        if case .audited(_, _, let running, let taken, let missing) = audit() {
            promise("nothing is missing", missing == 0)
            let found = state.lists.filter { isKnown($0.key) }.values.reduce(0) { $0 + $1.count }
            promise("every list that is known is looked into", running == found)
            promise("taken is a sum that only grows", taken >= state.counters["finished", default: 0])
        }
        let settled = state.counters["finished", default: 0] + state.counters["buried", default: 0]
        promise("one result a settled job", state.results.count == settled)
        let decided = ["dead_retried", "dead_discarded"].reduce(0) { $0 + state.counters[$1, default: 0] }
        promise(
            "one dead entry a buried job, until an operator decides about it",
            state.dead.count == state.counters["buried", default: 0] - decided)
        promise(
            "order of delayed", zip(state.delayed, state.delayed.dropFirst()).allSatisfy(QueueState.precedes))
        let unsettled = Set(
            places.keys.filter { ledger.settled[$0, default: 0] < places[$0, default: 0] }.map {
                ledger.job($0).id
            })
        promise("attempts only of unsettled jobs", state.attempts.keys.allSatisfy(unsettled.contains))
        for (name, batch) in state.batches {
            let results = state.results.filter { $0.batch == name }
            promise(
                "batch \(name) counts its results",
                batch["finished", default: 0] + batch["failed", default: 0]
                    == results.count - ledger.reopened[name, default: 0])
            promise(
                "batch \(name) counts its failures by code",
                batch.filter { $0.key.hasPrefix("error:") }.values.reduce(0, +) == batch["failed", default: 0]
            )
        }
        if outcome == .stale {
            var (then, now) = (before, state)
            for name in ["taken"] + state.lists.keys.map({ "held:" + $0 }) {
                (then.counters[name], now.counters[name]) = (nil, nil)
            }
            promise("a stale worker changes nothing", then == now)
        }
        return broken.map { "\($0), after \(move)" }
    }
}
