import Synchronization

/// Whether the claim loop gets anywhere: what a supervisor asks to tell a worker that waits from one that is stuck.
///
/// Each step of the loop is noted. One that lasts is excused while what it waits for is indeed not there, which
/// is looked at from outside: a wake-up that got lost does not excuse itself.
final class ClaimProgress: Sendable {
    /// What the loop does now.
    enum Step: Sendable {
        /// Asks Redis for a job, or sleeps there for some seconds until one comes.
        case attempting
        /// Leaves jobs to others while its own take all memory, threads, cores or the disk.
        case heldBack
        /// The queue is paused, or the lease is over and not renewed yet.
        case unclaimable
        /// Told to stop: nothing is claimed any more.
        case ended
    }

    fileprivate struct State {
        var step = Step.attempting
        /// Counts up with each step, so that a look from outside is about one step.
        var number: UInt64 = 0
        var movedAt = ContinuousClock.now
        var attempts: UInt64 = 0
    }

    private let state = Mutex(State())
    private let onFirstAttempt: @Sendable () -> Void

    /// - Parameter onFirstAttempt: called once, when Redis has answered the first attempt.
    init(onFirstAttempt: @escaping @Sendable () -> Void = {}) {
        self.onFirstAttempt = onFirstAttempt
    }

    /// The loop begins a step.
    func begin(_ step: Step) {
        state.withLock { state in
            state.step = step
            state.move()
        }
    }

    /// Redis answered an attempt, with a job or without.
    func noteAttempt() {
        let isFirst = state.withLock { state in
            state.attempts += 1
            state.move()
            return state.attempts == 1
        }
        if isFirst { onFirstAttempt() }
    }

    /// What excused the loop is over just now; it has not noticed yet.
    func excuse() { state.withLock { $0.move() } }

    /// Redis has answered an attempt since the worker started.
    var hasClaimed: Bool { state.withLock { $0.attempts > 0 } }

    /// How long the loop has moved no further although it could; nothing while it is excused: what its step waits for
    /// is not there at this moment.
    func age(
        at now: ContinuousClock.Instant = .now, isExcused: (Step) -> Bool
    ) -> Duration {
        let (step, number, movedAt) = state.withLock { ($0.step, $0.number, $0.movedAt) }
        guard isExcused(step) else { return max(.zero, now - movedAt) }
        // Counts anew from this look on, so that whoever looks just after the excuse is over sees no standstill.
        state.withLock { if $0.number == number { $0.movedAt = max($0.movedAt, now) } }
        return .zero
    }
}

extension ClaimProgress.State {
    fileprivate mutating func move() {
        number += 1
        movedAt = .now
    }
}
