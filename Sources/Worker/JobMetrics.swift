import JobQueue
import Metrics
import Synchronization
import Units

/// What the worker has counted and timed since it started. Each part of it says here what happened; nobody else
/// keeps figures for operators.
final class JobMetrics: Sendable {
    /// How a claim ended.
    enum Outcome: String, CaseIterable, Sendable { case finished, retried, buried, released, stale }

    /// Where a job's time goes, as results have it.
    enum Stage: String, CaseIterable, Sendable { case wait, read, decode, resample, encode, write }

    struct OutcomeAndCode: Hashable {
        let outcome: Outcome
        /// Why it failed; nil where it did not.
        var code: ErrorCode?
    }

    struct Figures: Sendable {
        var jobs: [OutcomeAndCode: UInt64] = [:]
        var stages: [Stage: Histogram] = [:]
        /// In bytes, of jobs that were admitted.
        var footprints = Histogram(bounds: JobMetrics.footprintBounds)
        /// In seconds.
        var roundTrips = Histogram(bounds: JobMetrics.roundTripBounds)
        var sourceBytes: UInt64 = 0
        var outputBytes: UInt64 = 0
        var leasesLost: UInt64 = 0
        var jobsReclaimed: UInt64 = 0
    }

    /// From a small picture's stage to a slow share's read.
    static let stageBounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// From 256 KiB to 1 GiB, each twice the one before.
    static let footprintBounds = (18...30).map { Double(1 << $0) }
    /// From a socket on the same machine to the limit of a call.
    static let roundTripBounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    ]

    private let state: Mutex<Figures>

    init() {
        var figures = Figures()
        for stage in Stage.allCases { figures.stages[stage] = Histogram(bounds: Self.stageBounds) }
        // There from the start, so that the first of each is seen as an increase.
        for outcome in [Outcome.finished, .released, .stale] { figures.jobs[.init(outcome: outcome)] = 0 }
        for code in ErrorCode.allCases {
            // Only a reaper buries those, in Redis: see the queue's own figures.
            guard code != .workerCrashed else { continue }
            figures.jobs[.init(outcome: .buried, code: code)] = 0
            if code.isRetryable { figures.jobs[.init(outcome: .retried, code: code)] = 0 }
        }
        state = Mutex(figures)
    }

    var figures: Figures { state.withLock(\.self) }

    /// A claim is settled. `code` is why it failed, if it did.
    func note(_ settled: WorkerQueue.Settled, because code: ErrorCode? = nil) {
        let outcome: OutcomeAndCode =
            switch settled {
            case .finished: .init(outcome: .finished)
            case .retried: .init(outcome: .retried, code: code)
            case .buried: .init(outcome: .buried, code: code)
            case .released: .init(outcome: .released)
            case .stale: .init(outcome: .stale)
            }
        state.withLock { $0.jobs[outcome, default: 0] += 1 }
    }

    /// An attempt at a job is over: each stage that it entered has one time more.
    func note(_ times: StageTimes) {
        let entered: [(Stage, Duration?)] = [
            (.wait, times.wait), (.read, times.read), (.decode, times.decode),
            (.resample, times.resample), (.encode, times.encode), (.write, times.write),
        ]
        state.withLock { figures in
            for case (let stage, let time?) in entered {
                figures.stages[stage]?.observe(time / .seconds(1))
            }
        }
    }

    func noteAdmission(of footprint: ByteCount) {
        state.withLock { $0.footprints.observe(Double(footprint.bytes)) }
    }

    /// A source was read whole and its thumbnails are in place.
    func noteBytes(read: ByteCount, written: Int) {
        state.withLock { figures in
            figures.sourceBytes += UInt64(clamping: read.bytes)
            figures.outputBytes += UInt64(clamping: written)
        }
    }

    func noteRoundTrip(_ length: Duration) {
        state.withLock { $0.roundTrips.observe(length / .seconds(1)) }
    }

    /// Others took this worker's jobs, since its lease was over.
    func noteLostLease() { state.withLock { $0.leasesLost += 1 } }

    /// This worker took jobs back from dead ones.
    func noteReclaimed(_ jobs: Int) { state.withLock { $0.jobsReclaimed += UInt64(clamping: jobs) } }
}
