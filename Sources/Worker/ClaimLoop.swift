import EventLog
import JobQueue
import MemoryBudget
import Redis
import Threading
import Units

/// Takes jobs from the queue, one at a time, as long as this worker can do something for them.
struct ClaimLoop: Sendable {
    let queue: WorkerQueue
    let admission: MemoryAdmission
    let cores: CoreThreads
    let writes: PendingWrites
    let lease: LeaseKeeper
    let running: RunningJobs
    let settlement: Settlement
    let log: EventLog
    let trouble: TroubleLog
    let facts: WorkerFacts
    let progress: ClaimProgress
    /// A blocking move is under way.
    let isAsleep = Flag()
    /// `--drain`: told when nothing waits, it looks whether all is done. Nil for a worker that stays.
    let ranDry: Announcement?

    /// What a job holds until its header is known: the header's window, a stack, its own text.
    static let probe = ByteCount.kibibytes(128)
    /// How long a blocking move sleeps in Redis. A frozen worker's last one may still be served, so it
    /// must be over before the lease is.
    static let idleWait = Duration.seconds(5)
    /// How long plain BRPOP looks, without sleeping, whether there is more: it has no script to ask.
    static let look = Duration.milliseconds(10)
    /// The lease that must be left for a blocking move, beyond its own length.
    static let leaseReserve = Duration.seconds(1)
    /// The pause between claims while Redis has no memory left for a blocking move.
    static let outOfMemoryPoll = Duration.milliseconds(250)
    /// The pause after an error that only a person can mend, such as a key of the wrong type.
    static let errorPause = Duration.seconds(1)
    /// Pictures read and waiting for a core, for each core. One keeps a core busy when it is free; more
    /// would keep from other workers what they could do now.
    static let lookahead = 1

    /// Runs until the task is cancelled. Jobs that it has started go on in `jobs`.
    func run(startingIn jobs: JobTasks) async {
        var source = Source.script
        defer { progress.begin(.ended) }
        while !Task.isCancelled {
            progress.begin(.heldBack)
            // In this order: a claim is made only when nobody waits for memory, few jobs for a thread and few
            // for the disk, and no more pictures than keep every core busy.
            await admission.untilNobodyWaits()
            await jobs.untilBegun(butFor: cores.count)
            await writes.untilFewer(than: cores.count * PendingWrites.mostOfCore)
            await cores.untilSupplied(below: cores.count * Self.lookahead)
            do throws(BudgetError) {
                // Asleep in Redis or paused, it needs none; then a job that needs all there is goes first.
                let standby = admission.standBy(try await admission.admit(Self.probe))
                progress.begin(.attempting)
                guard let claim = await next(&source) else { continue }
                facts.noteClaim()
                var handover = ReservationHandover(standby.end())
                // Workers have died under a suspect. Alone, it can take no other job down with it, and
                // jobs that merely died beside it are not counted as its like again.
                if claim.isSuspect {
                    progress.begin(.heldBack)
                    // Holding nothing meanwhile: one of the others may need all that there is.
                    handover.take().release()
                    await running.untilAllSettled()
                    guard !Task.isCancelled else { continue }
                    handover = ReservationHandover(try await admission.admit(Self.probe))
                }
                progress.begin(.heldBack)
                await start(claim.raw, handover, in: jobs)
                if claim.isSuspect { await running.untilAllSettled() }
            } catch {
                guard error == .cancelled else {
                    preconditionFailure("the smallest budget is larger than a probe: \(error)")
                }
            }
        }
    }

    /// A job that is now in this worker's list.
    private struct Claim {
        let raw: [UInt8]
        var isSuspect = false
    }

    /// Where the next job is asked for.
    private enum Source {
        /// Jobs wait: the script takes one at once, also when Redis is full, and sees a pause.
        case script
        /// None waits: a blocking move sleeps until one comes.
        case blockingMove
        /// Replies were lost: what lies in this worker's list and nobody runs comes first.
        case recovered([[UInt8]])
    }

    /// One job, or nil when there was none or Redis was away.
    private func next(_ source: inout Source) async -> Claim? {
        do throws(QueueError) {
            switch source {
            case .recovered(var jobs):
                let raw = jobs.popLast()
                source = jobs.isEmpty ? .script : .recovered(jobs)
                guard let raw else { return nil }
                return Claim(raw: raw, isSuspect: try await isSuspect(raw))
            case .script where queue.ownership == .none, .blockingMove where queue.ownership == .none:
                return try await pop(&source)
            case .script:
                return try await claim(&source)
            case .blockingMove:
                return try await sleep(&source)
            }
        } catch {
            await recover(&source, from: error)
            return nil
        }
    }

    private func claim(_ source: inout Source) async throws(QueueError) -> Claim? {
        let renewals = lease.renewed.count
        let answer = try await queue.claim(limit: 1)
        if answer != .leaseLapsed { progress.noteAttempt() }
        switch answer {
        case .jobs(let jobs): return jobs.first.map { Claim(raw: $0.raw, isSuspect: $0.crashes > 0) }
        case .tooLong: _ = try await lookAtList()
        case .empty:
            ranDry?.announce()
            source = .blockingMove
        // A renewal that came while the script ran may have mended it already.
        case .paused, .leaseLapsed: await untilClaimable(after: renewals)
        }
        return nil
    }

    /// A pause and a lapsed lease both end with a renewal: it tells of the one and mends the other.
    private func untilClaimable(after renewals: Int? = nil) async {
        progress.begin(.unclaimable)
        defer { progress.begin(.attempting) }
        var seen = renewals ?? lease.renewed.count
        repeat {
            let count = await lease.renewed.next(after: seen)
            // Told of a pause, it need not ask.
            if count > seen { progress.noteAttempt() }
            seen = count
        } while lease.isPaused && !Task.isCancelled
    }

    /// Plain BRPOP sees no pause, and no script is run before it that could: renewals tell, the first before
    /// the first job.
    private func pop(_ source: inout Source) async throws(QueueError) -> Claim? {
        _ = await lease.renewed.next(after: 0)
        guard !lease.isPaused else {
            await untilClaimable()
            return nil
        }
        // Who drains wants to know at once whether this was the last job.
        var sleeps = true
        if case .script = source { sleeps = ranDry == nil }
        let asked = ContinuousClock.now
        let raw: [UInt8]?
        isAsleep.set(true)
        do {
            defer { isAsleep.set(false) }
            raw = try await queue.popUnsafely(atMost: sleeps ? Self.idleWait : Self.look)
        }
        progress.noteAttempt()
        source = raw == nil ? .blockingMove : .script
        if let raw { return Claim(raw: raw) }
        ranDry?.announce()
        // Woken before its time: the queue may be paused.
        if sleeps, ContinuousClock.now - asked < Self.idleWait { await untilClaimable() }
        return nil
    }

    private func sleep(_ source: inout Source) async throws(QueueError) -> Claim? {
        let limit = min(Self.idleWait, lease.remaining - Self.leaseReserve)
        guard !lease.isPaused, limit > .zero else {
            source = .script
            await untilClaimable()
            return nil
        }
        let asked = ContinuousClock.now
        isAsleep.set(true)
        defer { isAsleep.set(false) }
        let raw = try await queue.wait(atMost: limit)
        progress.noteAttempt()
        if raw == nil { ranDry?.announce() }
        // Woken before its time: the queue may be paused, which only the script sees.
        if raw == nil, ContinuousClock.now - asked < limit { source = .script }
        // A job that was there already is seldom alone; one that came while we slept mostly is, and
        // asking the script for more would be a third round trip for it.
        // Who drains asks all the same: it wants to know at once whether this was the last job.
        if raw != nil, ranDry != nil || ContinuousClock.now - asked < .milliseconds(1) { source = .script }
        guard let raw else { return nil }
        // A third round trip, but only while a worker with jobs is late, or jobs it left are not settled.
        return Claim(raw: raw, isSuspect: lease.mayHaveSuspects ? try await isSuspect(raw) : false)
    }

    /// When asking fails, the job lies in this worker's list and is found there again.
    private func isSuspect(_ raw: [UInt8]) async throws(QueueError) -> Bool {
        try await queue.crashes(of: Job.read(raw).ticket) > 0
    }

    private func recover(_ source: inout Source, from error: QueueError) async {
        source = .script
        switch error {
        case .redis(.outOfMemory):
            // Redis refuses blocking moves now; the script is allowed to run.
            await pause(Self.outOfMemoryPoll)
            return
        case .redis(let reason) where reason.isOutage || reason == .cancelled: break
        case .redis(.replyTooLong):
            await dispose(after: error)
            return
        case .redis, .unexpectedAnswer, .evicts:
            trouble.note("claim.failed", error)
            await pause(Self.errorPause)
        }
        guard !Task.isCancelled, queue.ownership == .list else { return }
        // The connection broke, and with it perhaps a reply that carried a job.
        do throws(QueueError) {
            let unknown = try await lookAtList()
            if !unknown.isEmpty {
                log.info("claim.recovered", ["jobs": .integer(unknown.count)])
                source = .recovered(unknown.reversed())
            }
        } catch {
            log.debug("claim.not_recovered", ["error": .text(of: error)])
        }
    }

    /// The jobs in this worker's list that no claim here knows, oldest first, if none was settled meanwhile. What is
    /// too long for a job has been buried then, without being read.
    private func lookAtList() async throws(QueueError) -> [[UInt8]] {
        let held = try await queue.claimedHere()
        for job in held.buried {
            running.countBuried()
            settlement.metrics.note(.buried(attempt: job.attempt), because: .invalidJob)
            log.warning(
                "job.buried",
                [
                    "id": .string(job.id), "source": "", "code": .string(ErrorCode.invalidJob.rawValue),
                    "error": .string("expected at most \(QueueLimits.jobBytes) bytes, found \(job.bytes)"),
                    "attempt": .integer(job.attempt),
                ])
        }
        return running.unknown(among: held.jobs)
    }

    /// A blocking move has put what is too long for a job into this worker's list, or a plain pop has taken it out
    /// of Redis: then nobody has it any more.
    private func dispose(after error: QueueError) async {
        guard queue.ownership == .list else {
            return log.error(
                "claim.too_long",
                [
                    "error": .text(of: error),
                    "do": "find who pushes it; with --fetch claim its bytes are kept in the dead list",
                ])
        }
        do throws(QueueError) { _ = try await lookAtList() } catch { trouble.note("claim.failed", error) }
    }

    /// Shorter when the task is cancelled.
    private func pause(_ length: Duration) async {
        do { try await Task.sleep(for: length) } catch { return }
    }

    private func start(_ raw: [UInt8], _ reservation: ReservationHandover, in jobs: JobTasks) async {
        let reading = Job.read(raw)
        let token = running.begin(reading.ticket)
        jobs.start { [settlement] in
            await settlement.run(reading, as: token, holding: reservation.take())
        }
    }
}
