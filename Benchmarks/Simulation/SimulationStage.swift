import Threading

/// What the workers of a run wait for, and what the run waits for in them.
final class SimulationStage: Sendable {
    private struct State: Sendable {
        var present = 0
        var isOpen = false
    }

    private let jobs: Int
    private let state = Watched(State())
    /// Apart from the state, so that a finished job wakes nobody but who waits for the last one.
    private let finished = Watched(0)
    private let isClosed = Watched(false)

    init(jobs: Int) { self.jobs = jobs }

    /// A worker has its lease and its connections.
    func arrive() { state.update { $0.present += 1 } }
    func untilAllArePresent(_ workers: Int) async { await state.wait { $0.present == workers } }

    func open() { state.update { $0.isOpen = true } }
    func untilOpen() async { await state.wait(until: \.isOpen) }

    func finishOne() { finished.update { $0 += 1 } }
    func untilAllJobsAreFinished() async { await finished.wait { [jobs] in $0 >= jobs } }

    func close() { isClosed.update { $0 = true } }
    func untilClosed() async { await isClosed.wait { $0 } }
}
