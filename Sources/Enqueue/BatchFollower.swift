import JobQueue
import Redis

/// `--wait`: looks at the batch until all of its jobs are settled.
struct BatchFollower: Sendable {
    let queue: ProducerQueue
    let operators: OperatorQueue
    let batch: String
    let queueName: String
    let display: ProgressDisplay
    let steps: NextSteps

    /// Between two looks at most: four a second move a bar smoothly and cost Redis nothing.
    private static let longestPause = Duration.milliseconds(250)
    /// Without any progress for so long, a look at who should make it.
    private static let stillness = Duration.seconds(5)

    /// What keeps jobs waiting and a person can mend.
    private enum Hindrance: Hashable { case paused, noWorker, nothingLeft }

    /// Returns when every job of the batch is settled: the `pushed` of this run, and what others pushed
    /// under the same name. Waits out outages.
    func follow(pushed: Int) async throws(EnqueueError) -> EnqueueSummary.Outcome {
        let start = ContinuousClock.now
        var rate = ProgressRate()
        var lastChange = start
        var settled = -1
        var told: Set<Hindrance> = []
        // Nothing will move while the queue is paused, so that is said before anybody wonders. Workers may
        // just be starting.
        if let hindrance = await hindrance(), hindrance == .paused {
            await tell(hindrance)
            told.insert(hindrance)
        }
        while true {
            let state = try await look()
            guard state.total >= pushed else { throw .batchLost(known: state.total, pushed: pushed) }
            let progress = Progress(finished: state.finished, failed: state.failed, total: state.total)
            let now = ContinuousClock.now
            if progress.settled != settled { (settled, lastChange) = (progress.settled, now) }
            rate.note(progress.settled, at: now - start)
            display.show(progress, rate)
            if progress.isComplete {
                display.close()
                return EnqueueSummary.Outcome(
                    finished: state.finished, failed: state.failed, errors: state.errors, took: now - start)
            }
            if now - lastChange > Self.stillness {
                lastChange = now
                if let hindrance = await hindrance(), told.insert(hindrance).inserted {
                    await tell(hindrance)
                }
            }
            do { try await Task.sleep(for: Self.pause(after: now - start)) } catch {
                throw .queue(.redis(.cancelled))
            }
        }
    }

    /// A quarter of the wait so far, so that also a batch of half a second is known to end when it does,
    /// and its rate is not that of the pause.
    static func pause(after waited: Duration) -> Duration {
        min(max(waited / 4, .milliseconds(10)), longestPause)
    }

    private func look() async throws(EnqueueError) -> ProducerQueue.BatchProgress {
        do throws(QueueError) { return try await queue.progress(ofBatch: batch) } catch {
            throw .queue(error)
        }
    }

    private func hindrance() async -> Hindrance? {
        do throws(QueueError) {
            let audit = try await operators.audit()
            if audit.isPaused { return .paused }
            if !audit.workers.contains(where: { $0.leaseLeft > .zero }) { return .noWorker }
            return audit.waiting + audit.running + audit.delayed == 0 ? .nothingLeft : nil
        } catch {
            // An outage: the next look waits it out.
            return nil
        }
    }

    private func tell(_ hindrance: Hindrance) async {
        var reason: String?
        if hindrance == .paused {
            // An outage, or gone since: it is said without.
            do throws(QueueError) { reason = try await operators.pauseReason() } catch { reason = nil }
        }
        display.interrupt(sentence(hindrance, reason))
    }

    private func sentence(_ hindrance: Hindrance, _ reason: String?) -> String {
        switch hindrance {
        case .paused:
            "the queue \(queueName) is paused\(reason.map { " (\($0))" } ?? ""); its jobs wait until it is "
                + "resumed: \(steps.resume)"
        case .noWorker: "no worker serves the queue \(queueName); start one with: \(steps.startWorker)"
        case .nothingLeft:
            "no job is left in the queue \(queueName), and none of this batch was settled for a while: a "
                + "worker with --fetch brpop has them, or they were deleted; Ctrl-C ends the wait"
        }
    }
}
