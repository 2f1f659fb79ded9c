import JobQueue
import Metrics
import Testing
import Units

@testable import Worker

/// What is counted of which end of a claim.
struct JobMetricsTests {
    @Test func `each end of a claim is counted once, and has a code only where a job failed`() {
        let metrics = JobMetrics()
        metrics.note(.finished(attempt: 1))
        metrics.note(.retried(attempt: 1, delay: .seconds(1)), because: .outputUnwritable)
        metrics.note(.buried(attempt: 5), because: .outputUnwritable)
        metrics.note(.released)
        metrics.note(.stale, because: .timedOut)
        let counted = metrics.figures.jobs.filter { $0.value > 0 }
        #expect(
            counted == [
                .init(outcome: .finished): 1, .init(outcome: .retried, code: .outputUnwritable): 1,
                .init(outcome: .buried, code: .outputUnwritable): 1, .init(outcome: .released): 1,
                .init(outcome: .stale): 1,
            ])
    }

    /// An increase from nothing is none to Prometheus.
    @Test func `what a worker can count is there from the start, at zero`() {
        let jobs = JobMetrics().figures.jobs
        #expect(jobs.values.allSatisfy { $0 == 0 })
        for code in ErrorCode.allCases where code != .workerCrashed {
            #expect(jobs[.init(outcome: .buried, code: code)] != nil)
            #expect((jobs[.init(outcome: .retried, code: code)] != nil) == code.isRetryable)
        }
    }

    @Test func `amounts and times are in bytes and seconds`() {
        let metrics = JobMetrics()
        metrics.note(StageTimes(decode: .milliseconds(250), write: .zero))
        metrics.noteAdmission(of: .mebibytes(3))
        metrics.noteRoundTrip(.milliseconds(2))
        metrics.noteBytes(read: .kibibytes(2), written: 700)
        let figures = metrics.figures
        #expect(figures.stages[.decode]?.sum == 0.25 && figures.stages[.write]?.count == 1)
        #expect(figures.footprints.sum == 3 * 1_048_576 && figures.roundTrips.sum == 0.002)
        #expect(figures.sourceBytes == 2_048 && figures.outputBytes == 700)
    }

    @Test func `an attempt counts in the stages that it entered, once each`() {
        let metrics = JobMetrics()
        var times = StageTimes()
        times.wait.extend(by: .seconds(1))
        times.wait.extend(by: .seconds(2))
        times.read.extend(by: .seconds(4))
        metrics.note(times)
        let stages = metrics.figures.stages
        #expect(stages[.wait]?.count == 1 && stages[.wait]?.sum == 3)
        #expect(stages[.read]?.count == 1 && stages[.read]?.sum == 4)
        for stage in [JobMetrics.Stage.decode, .resample, .encode, .write] {
            #expect(stages[stage]?.count == 0, "\(stage)")
        }
    }

    @Test func `large fleets count their queue more seldom, and never stop`() {
        #expect(LeaseKeeper.countingPause(workers: 10) == .milliseconds(250), "at each renewal")
        #expect(LeaseKeeper.countingPause(workers: 200) == .seconds(5))
        #expect(LeaseKeeper.countingPause(workers: 100_000) == .seconds(30))
    }
}
