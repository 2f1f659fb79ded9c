import Synchronization

/// What a run has done so far, shared by all who may have to say it: its end, an error, Ctrl-C.
final class Tally: Sendable {
    private struct State {
        var summary: EnqueueSummary
        /// Jobs are on their way to Redis: whether they are pushed is not known yet.
        var isPushing = false
        var isStopping = false
    }

    private let state: Mutex<State>

    init(_ summary: EnqueueSummary) { state = Mutex(State(summary: summary)) }

    var summary: EnqueueSummary { state.withLock(\.summary) }

    func skip(_ reason: SkipReason) { state.withLock { $0.summary.skip(reason) } }

    /// Asks whether jobs may be sent; false once the run is to stop. Each true is followed by an `endPush`.
    func beginPush() -> Bool {
        state.withLock { state in
            if !state.isStopping { state.isPushing = true }
            return !state.isStopping
        }
    }

    /// What came of it: `pushed` jobs, `last` of them nil when there was none.
    func endPush(pushed: Int, last: [UInt8]?) {
        state.withLock { state in
            state.isPushing = false
            state.summary.enqueued += pushed
            if let last { state.summary.lastJob = last }
        }
    }

    func note(_ outcome: EnqueueSummary.Outcome) { state.withLock { $0.summary.outcome = outcome } }

    /// From now on nothing is sent. True when nothing is on its way either.
    func stop() -> Bool {
        state.withLock { state in
            state.isStopping = true
            return !state.isPushing
        }
    }
}
