import JobQueue
import Units

/// One reason to call a fleet unhealthy.
struct Problem: Sendable, Equatable {
    /// For programs; part of what `--json` promises.
    enum Code: String, Sendable, CaseIterable {
        case noWorker = "no_worker"
        case paused
        case expiredWorker = "expired_worker"
        case lostList = "list_without_lease"
        case stalled
        case redisMemory = "redis_memory"
        case eviction
        case missingJobs = "missing_jobs"
    }

    let code: Code
    /// One sentence: what is so, and what to do.
    let message: String

    /// A dead worker's jobs run again within 15 s of its death: 10 s of lease, and 5 more.
    static let reclaimPatience = Duration.seconds(5)
    /// Above this, in hundredths, a burst of producers soon finds Redis full.
    static let memoryLimit = 90

    /// Everything that is wrong, the gravest first.
    static func all(
        in status: OperatorQueue.Status, _ workers: [StatusReport.Worker], at place: QueuePlace,
        stalledAfter: Duration
    ) -> [Problem] {
        let audit = status.audit
        var problems: [Problem] = []
        func add(_ code: Code, _ message: String) { problems.append(Problem(code: code, message: message)) }

        if audit.missing > 0 {
            add(
                .missingJobs,
                "\(count(audit.missing, "job")) taken from the queue cannot be found: \(place.line(["audit"]))"
            )
        } else if audit.missing < 0 {
            add(
                .missingJobs,
                "\(count(-audit.missing, "job")) more settled than taken: somebody changed the counters")
        }
        if let memory = status.memory, memory.policy != "noeviction" {
            add(
                .eviction,
                "Redis' maxmemory-policy is \(memory.policy), so it may delete jobs: set it to noeviction")
        }
        if let memory = status.memory, let percent = memory.percent, percent > memoryLimit {
            add(
                .redisMemory,
                "Redis uses \(percent) % of its maxmemory; at 100 % producers are refused: raise it, or let "
                    + "workers catch up")
        }
        let open = audit.waiting + audit.delayed
        if !workers.contains(where: \.isAlive), open + audit.running > 0 {
            add(.noWorker, "\(count(open + audit.running, "job")) to be done and no worker lives: start one")
        }
        if status.pauseReason != nil, audit.waiting > 0 {
            let reason = printable(status.pauseReason ?? "")
            add(
                .paused,
                "\(waiting(audit.waiting)) while the queue is paused (\(reason)): \(place.line(["resume"]))")
        }
        for worker in workers where worker.jobs > 0 {
            if !worker.hasLease {
                add(
                    .lostList,
                    "\(count(worker.jobs, "job")) in the list of \(printable(worker.id)), which has no lease: "
                        + "workers take them back within a minute; at once with \(place.line(["audit", "--repair"]))"
                )
            } else if worker.leaseLeft < .zero - reclaimPatience {
                let late = (.zero - worker.leaseLeft).shortText
                add(
                    .expiredWorker,
                    "\(count(worker.jobs, "job")) held by \(printable(worker.id)), whose lease is over for "
                        + "\(late): only a live worker takes them back")
            }
        }
        if let waited = status.recent.oldestWaited, waited >= stalledAfter, status.pauseReason == nil,
            workers.contains(where: \.isAlive)
        {
            add(
                .stalled,
                "the oldest of \(count(audit.waiting, "job")) has waited for \(waited.shortText) at least and "
                    + "nothing was claimed: are the workers busy, or stuck? see their logs")
        }
        return problems
    }
}
