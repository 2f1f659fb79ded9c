import EventLog
import JobQueue
import ProgramOptions
import Units

/// Puts back what would lie for ever: jobs of workers that died, and delayed jobs that are due. Every
/// worker does this; the scripts see to it that two at a time do no harm. The lease's renewal tells when
/// there is something to do; only for lists that nobody knows any more it looks by itself, rarely.
struct Reaper: Sendable {
    let queue: WorkerQueue
    let lease: LeaseKeeper
    let quarantine: Quarantine
    let metrics: JobMetrics
    let log: EventLog

    /// Between two looks for lists without a lease, of two commands each: some deleted key makes one, no
    /// crash does. Spread, so that a fleet does not look all at once.
    private static let sweepPause = 20.0..<40.0

    /// Runs until the task is cancelled.
    func run() async {
        var cursor = "0"
        var nextSweep = ContinuousClock.now
        while !Task.isCancelled {
            await lease.renewed.next()
            guard let answer = lease.lastAnswer, !Task.isCancelled else { continue }
            if answer.expiredWorkers > 0, !quarantine.isOn() { await reclaim() }
            if let due = answer.nextDue { await promote(in: due) }
            if ContinuousClock.now >= nextSweep, !quarantine.isOn() {
                cursor = await sweep(from: cursor)
                nextSweep = .now + .seconds(Double.random(in: Self.sweepPause))
            }
        }
    }

    /// The cursor to go on from.
    private func sweep(from cursor: String) async -> String {
        do throws(QueueError) {
            let (next, found) = try await queue.sweep(cursor: cursor)
            if !found.isEmpty { log.warning("workers.without_lease", ["workers": .list(found)]) }
            return next
        } catch {
            log.debug("reaper.failed", ["error": .text(of: error)])
            return cursor
        }
    }

    private func reclaim() async {
        do throws(QueueError) {
            var isCut = true
            while isCut, !Task.isCancelled {
                let reclaimed = try await queue.reclaim()
                isCut = reclaimed.isCut
                guard reclaimed.requeued + reclaimed.buried > 0 else { continue }
                metrics.noteReclaimed(reclaimed.requeued + reclaimed.buried)
                log.warning(
                    "jobs.reclaimed",
                    ["requeued": .integer(reclaimed.requeued), "buried": .integer(reclaimed.buried)])
                for job in reclaimed.lost { tell(of: job) }
            }
        } catch {
            log.debug("reaper.failed", ["error": .text(of: error)])
        }
    }

    /// As of every other job that is buried: who looks for it in the logs finds it.
    private func tell(of job: WorkerQueue.Buried) {
        let code = ErrorCode.workerCrashed.rawValue
        log.warning(
            "job.buried",
            [
                "id": .string(job.id), "source": .string(job.source ?? ""), "code": .string(code),
                "error": "workers died while they held this job", "attempt": .integer(job.attempts),
                "do": .string(FailureAdvice.advice(for: code)),
            ])
    }

    /// Waits for jobs that are due before the next renewal tells again, and puts them back.
    private func promote(in due: Duration) async {
        guard due < lease.interval else { return }
        do {
            try await Task.sleep(for: due)
            var promoted = 1
            while promoted > 0 {
                let (count, _) = try await queue.promote()
                promoted = count
                if count > 0 { log.debug("jobs.promoted", ["jobs": .integer(count)]) }
            }
        } catch let error as QueueError {
            log.debug("reaper.failed", ["error": .text(of: error)])
        } catch {
            // Cancelled: another worker promotes them.
            return
        }
    }
}
