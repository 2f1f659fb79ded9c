import EventLog
import JobQueue
import Threading

/// `--drain`: notices that all is done, so that the worker may end.
struct DryQueueWatch: Sendable {
    /// The claim loop has found nothing to claim.
    let ranDry = Announcement()
    let running: RunningJobs
    let operators: OperatorQueue
    let log: EventLog

    /// Between two looks at jobs that run elsewhere or are delayed.
    static let pace = Duration.seconds(1)

    /// Returns true when nothing waits, runs or is delayed, here or on another worker; false once the task is cancelled.
    func untilDry() async -> Bool {
        var seen = 0
        while !Task.isCancelled {
            seen = await ranDry.next(after: seen)
            do {
                var isOthers = true
                while isOthers {
                    await running.untilAllSettled()
                    let audit = try await operators.audit()
                    if audit.waiting + audit.running + audit.delayed == 0 { return true }
                    // What waits is for the claim loop, which says when it has taken the last.
                    isOthers = audit.waiting == 0
                    if isOthers { try await Task.sleep(for: Self.pace) }
                }
            } catch let error as QueueError {
                log.debug("drain.unknown", ["error": .text(of: error)])
            } catch {
                // Cancelled: told to stop by other means.
                return false
            }
        }
        return false
    }
}
