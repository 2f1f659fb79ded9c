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
        var reminder = Reminder<RedisError.Family>()
        var greetings = 0
        var reconnects = 0
    }

    private enum News {
        case began
        case goesOn(for: Duration)
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (Change) -> Void
    private let onReminder: @Sendable (RedisError, Duration) -> Void
    private let onRoundTrip: @Sendable (Duration) -> Void

    /// All are called on a connection's thread and must not block.
    ///
    /// - Parameter onReminder: the outage goes on, for so long by now, and has another kind of cause than
    ///   before, such as a password that is no longer right; or half a minute is over since it was told.
    /// - Parameter onRoundTrip: how long what was sent together took to be answered, without blocking commands.
    public init(
        onChange: @escaping @Sendable (Change) -> Void = { _ in },
        onReminder: @escaping @Sendable (RedisError, Duration) -> Void = { _, _ in },
        onRoundTrip: @escaping @Sendable (Duration) -> Void = { _ in }
    ) {
        self.onChange = onChange
        self.onReminder = onReminder
        self.onRoundTrip = onRoundTrip
    }

    /// True from the first connection that fails until all work again.
    public var isDown: Bool { state.withLock { $0.since != nil } }

    /// Redis has answered, and is not away.
    public var isUp: Bool { state.withLock { $0.since == nil && $0.greetings > 0 } }

    /// Connections that were made anew after they had worked before.
    public var reconnects: Int { state.withLock(\.reconnects) }

    /// A connection was made and greeted, for the first time or again.
    func noteGreeting(again: Bool) {
        state.withLock { state in
            state.greetings += 1
            if again { state.reconnects += 1 }
        }
    }

    func noteRoundTrip(_ length: Duration) { onRoundTrip(length) }

    func report(_ connection: ObjectIdentifier, failedWith error: RedisError) {
        let now = ContinuousClock.now
        let news: News? = state.withLock { state in
            state.down.insert(connection)
            guard let since = state.since else {
                state.since = now
                state.reminder = Reminder()
                return state.reminder.isDue(error.family, at: now) ? .began : nil
            }
            return state.reminder.isDue(error.family, at: now) ? .goesOn(for: now - since) : nil
        }
        switch news {
        case .began: onChange(.outageBegan(error))
        case .goesOn(let length): onReminder(error, length)
        case nil: break
        }
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
