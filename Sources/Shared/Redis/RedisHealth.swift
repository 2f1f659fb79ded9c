import Synchronization

/// Whether Redis is away, for all connections of a process together: one event at the start of an
/// outage and one at its end, however many connections notice.
public final class RedisHealth: Sendable {
    public enum Change: Sendable, Equatable {
        case outageBegan(RedisError)
        case outageEnded(after: Duration)
    }

    private struct State {
        var since: ContinuousClock.Instant?
        var down: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (Change) -> Void

    /// `onChange` is called on a connection's thread and must not block.
    public init(onChange: @escaping @Sendable (Change) -> Void = { _ in }) { self.onChange = onChange }

    func report(_ connection: ObjectIdentifier, failedWith error: RedisError) {
        let began = state.withLock { state in
            state.down.insert(connection)
            guard state.since == nil else { return false }
            state.since = .now
            return true
        }
        if began { onChange(.outageBegan(error)) }
    }

    /// The connection is no longer wanted; nothing is known about Redis by that.
    func forget(_ connection: ObjectIdentifier) {
        state.withLock { state in
            state.down.remove(connection)
            if state.down.isEmpty { state.since = nil }
        }
    }

    /// The connection works again.
    func reportRecovery(of connection: ObjectIdentifier) {
        let length: Duration? = state.withLock { state in
            guard state.down.remove(connection) != nil, state.down.isEmpty, let since = state.since else {
                return nil
            }
            state.since = nil
            return since.duration(to: .now)
        }
        if let length { onChange(.outageEnded(after: length)) }
    }
}
