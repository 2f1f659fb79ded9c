import EventLog
import Failpoints
import JobQueue
import MemoryBudget
import Units

/// Runs one claimed job and settles it: finish, retry, bury or release, exactly one of them.
struct Settlement: Sendable {
    let processor: JobProcessor
    let policy: FailurePolicy
    let queue: WorkerQueue
    let running: RunningJobs
    let metrics: JobMetrics
    let log: EventLog

    /// A job of a newer version waits this long for a newer worker, then comes by again.
    static let newerVersionPause = Duration.seconds(30)
    /// Between two attempts at a settling move that Redis refuses.
    static let unsettledPause = Duration.seconds(5)

    /// Runs a job that `running` knows as `token`, and gives its memory back.
    func run(
        _ reading: Job.Reading, as token: RunningJobs.Token, holding reservation: consuming Reservation
    ) async {
        switch reading {
        case .job(let job):
            await Failpoint.parsed.reach(job.source)
            do throws(JobProblem) {
                let result = try await processor.process(job, holding: &reservation)
                reservation.release()
                await settle(job, token, with: result)
            } catch {
                reservation.release()
                await settle(job.ticket, source: job.source, token, after: error)
            }
        case .invalid(let ticket, let problems):
            reservation.release()
            await settle(ticket, source: nil, token, after: .invalidJob(problems))
        case .newerVersion(let ticket, let version):
            reservation.release()
            await leave(ticket, ofVersion: version, token)
        }
    }

    private func settle(_ job: Job, _ token: RunningJobs.Token, with result: JobResult) async {
        var result = result
        result.worker = queue.worker.description
        await settle(job.ticket, token) { () throws(QueueError) in
            try await queue.finish(job.ticket, result)
        } log: { settled in
            guard case .finished(let attempt) = settled else { return }
            log.info(
                "job.finished",
                [
                    "id": .string(job.ticket.id), "source": .string(job.source), "attempt": .integer(attempt),
                    "outputs": .list(result.outputs?.map(\.path) ?? []),
                    "decode_ms": .number(result.timings?.decode ?? 0),
                    "footprint_bytes": .integer(result.footprintBytes ?? 0),
                ])
        }
    }

    private func settle(
        _ ticket: JobTicket, source: String?, _ token: RunningJobs.Token, after problem: JobProblem
    ) async {
        if case .givenBack = problem {
            await settle(ticket, token) { () throws(QueueError) in
                try await queue.release(ticket)
            } log: { _ in
                log.info("job.released", ["id": .string(ticket.id)])
            }
            return
        }
        let failure = policy.failure(for: problem)
        var result = JobResult(ticket, source: source, error: failure)
        result.worker = queue.worker.description
        await settle(ticket, token, because: failure.code) { () throws(QueueError) in
            guard failure.retryable else { return try await queue.bury(ticket, result) }
            var generator = SystemRandomNumberGenerator()
            return try await queue.retry(ticket, result, using: &generator)
        } log: { settled in
            logFailure(of: ticket, source: source, failure, settled)
        }
    }

    private func leave(_ ticket: JobTicket, ofVersion version: Int, _ token: RunningJobs.Token) async {
        await settle(ticket, token) { () throws(QueueError) in
            try await queue.release(ticket, after: Self.newerVersionPause)
        } log: { _ in
            log.warning(
                "job.newer_version",
                [
                    "id": .string(ticket.id), "version": .integer(version),
                    "known_version": .integer(Job.knownVersion),
                    "do": "update this worker, or remove the job's field v",
                ])
        }
    }

    /// Makes one settling move, unless the job is being given back meanwhile.
    ///
    /// The move itself waits out an outage. What else can go wrong is for a person to mend, such as a key of
    /// another type; until then the job stays in this worker's list, where nobody else finds it.
    private func settle(
        _ ticket: JobTicket, _ token: RunningJobs.Token, because code: ErrorCode? = nil,
        _ move: () async throws(QueueError) -> WorkerQueue.Settled, log logged: (WorkerQueue.Settled) -> Void
    ) async {
        guard running.beginSettling(token) else { return }
        var settled: WorkerQueue.Settled?
        while settled == nil {
            do throws(QueueError) { settled = try await move() } catch {
                log.error("job.unsettled", ["id": .string(ticket.id), "error": .text(of: error)])
                // A plain pop left no copy, and its move no fence: what may have run is not sent again.
                guard queue.ownership == .list else { break }
                // Told to stop, the worker gives back what is left in its list.
                do { try await Task.sleep(for: Self.unsettledPause) } catch { break }
            }
        }
        if let settled { metrics.note(settled, because: code) }
        if settled == .stale {
            // Somebody else has the job now, or our own earlier sending went through: no loss.
            log.warning("job.stale", ["id": .string(ticket.id)])
        } else if let settled {
            logged(settled)
        }
        running.end(token, settled)
    }

    private func logFailure(
        of ticket: JobTicket, source: String?, _ failure: JobFailure, _ settled: WorkerQueue.Settled
    ) {
        switch settled {
        case .retried(let attempt, let delay):
            log.warning(
                "job.retried",
                [
                    "id": .string(ticket.id), "source": .string(source ?? ""),
                    "code": .string(failure.code.rawValue), "error": .string(failure.message),
                    "attempt": .integer(attempt), "delay_ms": .duration(delay),
                ])
        case .buried(let attempt):
            log.warning(
                "job.buried",
                [
                    "id": .string(ticket.id), "source": .string(source ?? ""),
                    "code": .string(failure.code.rawValue), "error": .string(failure.message),
                    "attempt": .integer(attempt),
                ])
        case .finished, .released, .stale: break
        }
    }
}
