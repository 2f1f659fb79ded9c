import Redis
import Synchronization
import Units

/// Says on standard error when Redis goes away and when it is back, so that a bar that stands still is
/// understood. Silent until told to start: an outage at the start ends the program with a reason anyway.
final class OutageNotice: Sendable {
    private enum State { case silent, watching, away }

    private let display: ProgressDisplay
    private let state = Mutex(State.silent)

    init(_ display: ProgressDisplay) { self.display = display }

    func startTelling() {
        state.withLock { $0 = .watching }
    }

    /// Called on the connection's thread.
    func note(_ change: RedisHealth.Change) {
        switch change {
        case .outageBegan(let error):
            if move(from: .watching, to: .away) {
                display.interrupt("Redis is away (\(error)); waiting until it is back")
            }
        case .outageEnded(let length):
            if move(from: .away, to: .watching) {
                display.interrupt("Redis is back after \(length.shortText)")
            }
        }
    }

    private func move(from old: State, to new: State) -> Bool {
        state.withLock { state in
            guard state == old else { return false }
            state = new
            return true
        }
    }
}
