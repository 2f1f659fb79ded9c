import Redis
import Synchronization

/// Jobs are reclaimed only when live workers had time to renew: after an outage every lease in Redis may
/// look expired although its worker lives, since none could be renewed while Redis was away.
///
/// On from the outage's first sign: the connection that renews may be back before the others are, and tells
/// of expired workers at once.
final class Quarantine: Sendable {
    private struct State {
        var isOutage = false
        var until: ContinuousClock.Instant
    }

    private let state: Mutex<State>
    private let lengthAfterOutage: Duration

    /// - Parameters:
    ///   - atStart: an outage that this process has not seen may just be over. Two renewals: a worker
    ///     renews again at its next one, and may miss that. Not longer, since a worker that is started
    ///     anew is often the one that shall do its predecessor's jobs, within 15 s of its death.
    ///   - afterOutage: calls that were under way when the network broke end late, so a whole lease.
    init(atStart: Duration, afterOutage: Duration, now: ContinuousClock.Instant = .now) {
        lengthAfterOutage = afterOutage
        state = Mutex(State(until: now + atStart))
    }

    func isOn(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { $0.isOutage || now < $0.until }
    }

    /// An outage ends when every connection works again; the quarantine a lease later.
    func note(_ change: RedisHealth.Change, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            switch change {
            case .outageBegan: state.isOutage = true
            case .outageEnded:
                state.isOutage = false
                state.until = now + lengthAfterOutage
            }
        }
    }
}
