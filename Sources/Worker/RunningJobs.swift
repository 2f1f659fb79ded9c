import JobQueue
import Threading

/// The jobs that this worker has claimed and not settled. Each is settled by exactly one of two: the
/// task that runs it, or the shutdown that gives it back.
final class RunningJobs: Sendable {
    /// One claim. The same bytes may be claimed twice at a time; each claim is its own.
    struct Token: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    struct Counts: Sendable {
        var running = 0
        var finished = 0
        var failed = 0
    }

    private struct State: Sendable {
        var lastNumber: UInt64 = 0
        var unsettled: [Token: JobTicket] = [:]
        /// Claims whose settling move is under way.
        var settling: [Token: JobTicket] = [:]
        var counts = Counts()

        var isIdle: Bool { unsettled.isEmpty && settling.isEmpty }
    }

    private let state = Watched(State())

    var counts: Counts {
        state.read { state in
            var counts = state.counts
            counts.running = state.unsettled.count + state.settling.count
            return counts
        }
    }

    func begin(_ ticket: JobTicket) -> Token {
        state.update { state in
            state.lastNumber += 1
            let token = Token(number: state.lastNumber)
            state.unsettled[token] = ticket
            return token
        }
    }

    /// True for the one who may settle the claim now; false if it is being given back.
    func beginSettling(_ token: Token) -> Bool {
        state.update { state in
            guard let ticket = state.unsettled.removeValue(forKey: token) else { return false }
            state.settling[token] = ticket
            return true
        }
    }

    /// The claim is over. Counts what was published of it, as the queue's counters do; nil: it was not settled.
    func end(_ token: Token, _ settled: WorkerQueue.Settled?) {
        state.update { state in
            state.settling[token] = nil
            switch settled {
            case .finished: state.counts.finished += 1
            case .buried: state.counts.failed += 1
            case .retried, .released, .stale, nil: break
            }
        }
    }

    /// One was buried that nobody claimed: too long for a job.
    func countBuried() { state.update { $0.counts.failed += 1 } }

    /// All claims that nobody is settling, for the caller to give back.
    func takeUnsettled() -> [(Token, JobTicket)] {
        state.update { state in
            let taken = state.unsettled
            state.settling.merge(taken) { current, _ in current }
            state.unsettled = [:]
            return taken.map { ($0.key, $0.value) }
        }
    }

    /// Returns when no claim is unsettled, or when the task is cancelled.
    func untilAllSettled() async {
        await state.wait { $0.isIdle }
    }

    /// Of the jobs in this worker's list in Redis, those that no claim here knows: their replies were
    /// lost with a connection.
    func unknown(among listed: [[UInt8]]) -> [[UInt8]] {
        var known: [[UInt8]: Int] = [:]
        for ticket in state.read({ Array($0.unsettled.values) + Array($0.settling.values) }) {
            known[ticket.raw, default: 0] += 1
        }
        return listed.filter { raw in
            guard let count = known[raw], count > 0 else { return true }
            known[raw] = count - 1
            return false
        }
    }
}
