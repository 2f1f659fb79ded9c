import JobQueue
import Redis
import Units

/// `--wait`: looks at the batch until all of its jobs are settled.
struct BatchFollower: Sendable {
    let queue: ProducerQueue
    let operators: OperatorQueue
    let batch: String
    let queueName: String
    let display: ProgressDisplay

    /// Between two looks: four a second move a bar smoothly and cost Redis nothing.
    private static let pace = Duration.milliseconds(250)
    /// Without any progress for so long, a look at who should make it.
    private static let stillness = Duration.seconds(5)

    /// Returns when every job of the batch is settled: the `pushed` of this run, and what others pushed
    /// under the same name.
    func follow(pushed: Int) async throws -> EnqueueSummary.Outcome {
        let start = ContinuousClock.now
        var rate = ProgressRate()
        var lastChange = start
        var settled = -1
        var hasTold = false
        while true {
            let state = try await queue.progress(ofBatch: batch)
            let progress = Progress(
                finished: state.finished, failed: state.failed, total: max(state.total, pushed))
            let now = ContinuousClock.now
            if progress.settled != settled {
                (settled, lastChange) = (progress.settled, now)
            } else if !hasTold, now - lastChange > Self.stillness {
                hasTold = await tellWhyNothingMoves()
            }
            rate.note(progress.settled, at: now - start)
            display.show(progress, rate)
            if progress.isComplete {
                display.close()
                return EnqueueSummary.Outcome(
                    finished: state.finished, failed: state.failed, errors: state.errors)
            }
            try await Task.sleep(for: Self.pace)
        }
    }

    /// Says what keeps the jobs waiting, if something does that a person can mend.
    private func tellWhyNothingMoves() async -> Bool {
        do throws(QueueError) {
            let audit = try await operators.audit()
            if audit.isPaused {
                display.interrupt("the queue \(queueName) is paused; its jobs wait until it is resumed")
                return true
            }
            if !audit.workers.contains(where: { $0.leaseLeft > .zero }) {
                display.interrupt(
                    "no worker serves the queue \(queueName); start one: "
                        + "worker --source-root DIR --output DIR --queue \(queueName)")
                return true
            }
            return false
        } catch {
            // An outage: progress itself waits it out.
            return false
        }
    }
}
