import EventLog
import JobQueue
import ProgramOptions

/// Notices that the queue is paused and resumed: the lease's renewal tells. Says so in the log, and wakes the
/// blocking move, which would not see it.
struct PauseWatch: Sendable {
    let queue: WorkerQueue
    let operators: OperatorQueue
    let lease: LeaseKeeper
    /// A blocking move is under way.
    let isAsleep: Flag
    let log: EventLog

    /// Runs until the task is cancelled.
    func run() async {
        var wasPaused = false
        var seen = 0
        while !Task.isCancelled {
            seen = await lease.renewed.next(after: seen)
            let isPaused = lease.isPaused
            if isPaused != wasPaused, !Task.isCancelled {
                wasPaused = isPaused
                if isPaused { await tellOfPause() } else { log.info("queue.resumed") }
            }
            if isPaused, isAsleep.isSet { await wake() }
        }
    }

    private func tellOfPause() async {
        var reason: String?
        do throws(QueueError) { reason = try await operators.pauseReason() } catch {
            log.debug("queue.pause_unexplained", ["error": .text(of: error)])
        }
        log.warning(
            "queue.paused",
            [
                "reason": .string(reason ?? ""),
                "do": .string("\(ProgramNames.fleet) resume, when the reason is gone"),
            ])
    }

    private func wake() async {
        do throws(QueueError) { _ = try await queue.stopWaiting() } catch {
            log.debug("claim.not_woken", ["error": .text(of: error)])
        }
    }
}
