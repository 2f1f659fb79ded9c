import JobQueue
import ProgramOptions
import Units

/// One reason to call a fleet unhealthy.
struct Problem: Sendable, Equatable {
    /// For programs; part of what `--json` promises.
    enum Code: String, Sendable, CaseIterable {
        case dataLost = "data_lost"
        case noWorker = "no_worker"
        case tooFewWorkers = "too_few_workers"
        case failing
        case newerVersion = "newer_version"
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

    /// Fewer failures than this are no trend.
    static let fewestFailures = 3

    /// Everything that is wrong, the gravest first.
    static func all(
        in status: OperatorQueue.Status, _ workers: [StatusReport.Worker], at place: QueuePlace,
        _ limits: HealthLimits
    ) -> [Problem] {
        let look = Look(status: status, workers: workers, place: place, limits: limits)
        return [
            look.dataLost, look.missing, look.eviction, look.memory, look.noWorker, look.tooFewWorkers,
            look.failing, look.paused,
        ].compactMap { $0 } + look.deadWorkers + [look.stalled, look.newerVersion].compactMap { $0 }
    }
}

/// One look at a fleet, and each thing that may be wrong with it.
private struct Look {
    let status: OperatorQueue.Status
    let workers: [StatusReport.Worker]
    let place: QueuePlace
    let limits: HealthLimits

    private var audit: OperatorQueue.Audit { status.audit }
    private var recent: OperatorQueue.Recent { status.recent }
    private var alive: [StatusReport.Worker] { workers.filter(\.isAlive) }

    /// Workers remember what they did since they started; a Redis that came back empty, or from an old
    /// snapshot, counts less than that.
    var dataLost: Problem? {
        let said = alive.reduce(0) { $0 + ($1.finished ?? 0) + ($1.failed ?? 0) }
        guard said > status.settled else { return nil }
        let uptime = status.durability.map { ", which started \($0.uptime.shortText) ago," } ?? ""
        return Problem(
            code: .dataLost,
            message: "workers settled \(count(said, "job")) and Redis\(uptime) knows of "
                + "\(grouped(status.settled)): it lost data, and jobs that waited may be gone with it; enqueue "
                + "them again, keep Redis' data on disk (appendonly yes), then restart the workers to end this "
                + "alarm")
    }

    var missing: Problem? {
        if audit.missing > 0 {
            return Problem(
                code: .missingJobs,
                message: "\(count(audit.missing, "job")) taken from the queue cannot be found: "
                    + place.line(["audit"]))
        }
        guard audit.missing < 0 else { return nil }
        return Problem(
            code: .missingJobs,
            message: "\(count(-audit.missing, "job")) more settled than taken: somebody changed the counters")
    }

    var eviction: Problem? {
        guard let memory = status.memory, memory.policy != "noeviction" else { return nil }
        return Problem(
            code: .eviction,
            message:
                "Redis' maxmemory-policy is \(memory.policy), so it may delete jobs: set it to noeviction")
    }

    var memory: Problem? {
        guard let percent = status.memory?.percent, percent > Problem.memoryLimit else { return nil }
        let holders =
            "it keeps \(count(audit.waiting, "waiting job")), \(count(audit.results, "result")) and "
            + count(audit.dead, "dead job")
        let advice =
            audit.waiting > audit.results + audit.dead
            ? "raise it, or let workers catch up"
            : "raise it, discard dead jobs (\(place.line(["discard", "--older-than", "7d"]))), or look what "
                + "else lives in this Redis (redis-cli --bigkeys)"
        return Problem(
            code: .redisMemory,
            message: "Redis uses \(percent) % of its maxmemory, at 100 % producers are refused; \(holders): "
                + advice)
    }

    var noWorker: Problem? {
        let open = audit.waiting + audit.delayed + audit.running
        guard alive.isEmpty, open > 0 else { return nil }
        return Problem(
            code: .noWorker, message: "\(count(open, "job")) to be done and no worker lives: start one")
    }

    var tooFewWorkers: Problem? {
        guard alive.count < limits.workers else { return nil }
        return Problem(
            code: .tooFewWorkers,
            message:
                "\(count(alive.count, "live worker")), expected \(grouped(limits.workers)) (--min-workers): "
                + "start more")
    }

    /// Failures that no picture is to blame for, settled or still being tried again.
    var failing: Problem? {
        let faults = recent.failures.filter { !FailureAdvice.liesInJob($0.key) }
        let failed = faults.values.reduce(0, +)
        let settled = recent.finished + recent.failed
        let retrying = min(recent.retrying, audit.waiting + audit.delayed + audit.running)
        var sentences: [String] = []
        if isTooMuch(failed, of: settled) {
            sentences.append(
                "\(grouped(failed)) of \(count(settled, "job")) of the last \(recent.covered.shortText) failed, and "
                    + "not for their pictures: \(list(faults))")
        }
        if isTooMuch(retrying, of: settled + retrying) {
            sentences.append(
                "\(count(retrying, "job")) failed and \(retrying == 1 ? "is" : "are") tried again")
        }
        guard !sentences.isEmpty else { return nil }
        // The retries are newer than what was settled, and name their worker.
        let retried = lastRetry
        guard let code = mostFrequent(faults).first?.name ?? retried?.code else {
            return Problem(
                code: .failing,
                message: sentences.joined(separator: "; ") + ": see the workers' logs, job.retried")
        }
        if faults.isEmpty { sentences.append("the last one for \(printable(code))") }
        let worker = recent.failedAt[code] ?? (retried?.code == code ? retried?.worker : nil)
        if let worker { sentences.append("last by \(printable(worker))\(host(of: worker))") }
        let culprit = FailureAdvice.culprit(for: code).map { "\($0) fault, most likely: " } ?? ""
        let next = faults.isEmpty ? "see its log" : place.line(["dead", "--code", code])
        return Problem(
            code: .failing,
            message:
                "\(sentences.joined(separator: "; ")); \(culprit)\(FailureAdvice.advice(for: code)): \(next)")
    }

    private func isTooMuch(_ part: Int, of whole: Int) -> Bool {
        part >= Problem.fewestFailures && part * 100 >= limits.failedPercent * whole
    }

    /// The newest in the time that the recent results cover.
    private var lastRetry: (code: String, worker: String)? {
        let from = status.now - OperatorQueue.recentWindow.wholeMilliseconds
        let newest = workers.compactMap { worker in worker.lastRetry.map { (worker, $0) } }
            .filter { $1.at >= from }.max { $0.1.at < $1.1.at }
        return newest.map { ($1.code, $0.id) }
    }

    private func host(of worker: String) -> String {
        workers.first { $0.id == worker }?.whereabouts ?? ""
    }

    var paused: Problem? {
        guard let reason = status.pauseReason, audit.waiting > 0 else { return nil }
        return Problem(
            code: .paused,
            message: "\(waiting(audit.waiting)) while the queue is paused (\(printable(reason))): "
                + place.line(["resume"]))
    }

    var deadWorkers: [Problem] {
        workers.filter { $0.jobs > 0 }.compactMap { worker in
            let who = printable(worker.id) + worker.whereabouts
            if !worker.hasLease {
                return Problem(
                    code: .lostList,
                    message:
                        "\(count(worker.jobs, "job")) in the list of \(who), which has no lease: workers "
                        + "take them back within a minute; at once with "
                        + place.line(["audit", "--repair"]))
            }
            guard worker.leaseLeft < .zero - Problem.reclaimPatience else { return nil }
            return Problem(
                code: .expiredWorker,
                message: "\(count(worker.jobs, "job")) held by \(who), dead for "
                    + "\((.zero - worker.leaseLeft).shortText): "
                    + (alive.isEmpty
                        ? "only a live worker takes them back, start one"
                        : "\(count(alive.count, "live worker")) should have taken them back by now, see their logs")
            )
        }
    }

    var stalled: Problem? {
        guard let waited = recent.oldestWaited, waited >= limits.stalledAfter, status.pauseReason == nil,
            !alive.isEmpty
        else { return nil }
        return Problem(
            code: .stalled,
            message:
                "the oldest of \(count(audit.waiting, "job")) has waited for \(waited.shortText) at least and no "
                + "worker took any: are they busy, or stuck? see their logs")
    }

    var newerVersion: Problem? {
        guard recent.newer > 0 else { return nil }
        let bound = recent.newer == OperatorQueue.delayedLookedAt ? "at least " : ""
        let versions = recent.newerVersions.map { "\($0)" }.joined(separator: ", ")
        return Problem(
            code: .newerVersion,
            message:
                "\(bound)\(count(recent.newer, "delayed job")) of version \(versions.isEmpty ? "?" : versions) (field v), "
                + "which no worker that saw them knows; they come back every 30 s: update the workers, or correct "
                + "the producer; to see them: \(place.line(["delayed"]))")
    }
}
