/// How the worker stops: a value that turns what happens into what must be done. The caller performs it.
///
///     running ── signal ──▶ draining ── last job settled ──────────────▶ stopped
///                              └── deadline passed, second signal ──▶ releasing ── all given back ──▶ stopped
///
/// Leases are kept in every phase but the last, so that no peer takes a job that still runs here.
struct ShutdownState: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case running
        /// Claims nothing more; what runs may finish until the deadline.
        case draining
        /// Gives back what has not finished, without counting an attempt.
        case releasing
        /// The lease is returned; the process ends.
        case stopped
    }

    enum Event: Equatable, Sendable {
        /// SIGTERM or SIGINT.
        case signal
        /// `--drain`: nothing waits, runs or is delayed any more.
        case queueRanDry
        /// A folder is no longer where it was opened.
        case folderDisplaced
        /// `--drain-timeout` after the drain began.
        case deadlinePassed
        /// No job of this worker is unsettled.
        case lastJobSettled
        /// Redis has not answered for as long as giving back may take. The lease gives the jobs back.
        case releaseTimedOut
    }

    enum Action: Equatable, Sendable {
        /// Let go of a blocked claim at once and claim nothing more.
        case stopClaiming
        case startDeadline
        /// Give back every job that has not been settled.
        case releaseJobs
        /// Leave the fleet and end the process.
        case leave
    }

    private(set) var phase = Phase.running
    /// A lost folder began the drain: whoever started the worker has to start it anew. One that is lost while the worker
    /// stops as it was told to, as when its share is unmounted after it, changes nothing.
    private(set) var hasLostFolder = false
    /// Redis did not answer when jobs were given back.
    private(set) var isHung = false

    /// Takes one event. An event that changes nothing in the present phase has no actions.
    mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.running, .signal), (.running, .queueRanDry), (.running, .folderDisplaced):
            phase = .draining
            hasLostFolder = event == .folderDisplaced
            return [.stopClaiming, .startDeadline]
        case (.draining, .signal), (.draining, .deadlinePassed):
            phase = .releasing
            return [.releaseJobs]
        case (.draining, .lastJobSettled), (.releasing, .lastJobSettled), (.releasing, .releaseTimedOut):
            phase = .stopped
            isHung = event == .releaseTimedOut
            return [.leave]
        case (.running, _), (.draining, _), (.releasing, _), (.stopped, _):
            return []
        }
    }
}
