import EventLog
import JobQueue
import Synchronization
import Units

/// Puts back what would lie for ever: jobs of workers that died, and delayed jobs that are due. Every
/// worker does this; the scripts see to it that two at a time do no harm. It asks nothing by itself: the
/// lease's renewal tells when there is something to do.
struct Reaper: Sendable {
    let queue: WorkerQueue
    let lease: LeaseKeeper
    let quarantine: Quarantine
    let log: EventLog

    /// Runs until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await lease.renewed.next()
            guard let answer = lease.lastAnswer, !Task.isCancelled else { continue }
            if answer.expiredWorkers > 0, !quarantine.isOn { await reclaim() }
            if let due = answer.nextDue { await promote(in: due) }
        }
    }

    private func reclaim() async {
        do throws(QueueError) {
            var isCut = true
            while isCut, !Task.isCancelled {
                let reclaimed = try await queue.reclaim()
                isCut = reclaimed.isCut
                guard reclaimed.requeued + reclaimed.buried > 0 else { continue }
                log.warning(
                    "jobs.reclaimed",
                    ["requeued": .integer(reclaimed.requeued), "buried": .integer(reclaimed.buried)])
            }
        } catch {
            log.debug("reaper.failed", ["error": .text(of: error)])
        }
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

/// After an outage, and at the start, every lease in Redis may look expired although its worker lives: it
/// could not renew while Redis was away. Jobs are reclaimed only when workers had a lease's time to renew.
final class Quarantine: Sendable {
    private let until: Mutex<ContinuousClock.Instant>
    private let length: Duration

    init(length: Duration) {
        self.length = length
        until = Mutex(.now + length)
    }

    var isOn: Bool { until.withLock { .now < $0 } }

    func begin() { until.withLock { $0 = .now + length } }
}
