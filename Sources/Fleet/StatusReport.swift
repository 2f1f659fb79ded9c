import JobQueue
import Units

/// The status as it is shown: what was read, and what follows from it.
struct StatusReport: Sendable {
    struct Worker: Sendable {
        let id: String
        let leaseLeft: Duration
        let hasLease: Bool
        /// In its list.
        let jobs: Int
        let host: String?
        let pid: Int?
        let version: String?
        /// As it last said, like all that follows; nil when it said nothing in the last minute.
        let running: Int?
        let reserved: ByteCount?
        let budget: ByteCount?
        let resident: ByteCount?
        let finished: Int?
        let failed: Int?
        /// Since it last claimed a job; nil when it never did.
        let lastClaim: Duration?

        var isAlive: Bool { leaseLeft > .zero }
    }

    let place: QueuePlace
    let status: OperatorQueue.Status
    let workers: [Worker]
    /// Jobs settled a second: between two looks where there were two, else over the recent results.
    let finishedPerSecond: Double
    let failedPerSecond: Double
    let problems: [Problem]

    /// - Parameter previous: the look before, for a rate between the two.
    init(
        _ status: OperatorQueue.Status, at place: QueuePlace, stalledAfter: Duration,
        since previous: OperatorQueue.Status? = nil
    ) {
        self.place = place
        self.status = status
        workers = status.audit.workers.map { Worker($0, status.infos[$0.id] ?? [:]) }
            .sorted { ($0.host ?? "~", $0.id) < ($1.host ?? "~", $1.id) }
        let seconds = previous.map { Double(status.now - $0.now) / 1_000 } ?? 0
        if let previous, seconds > 0 {
            func rate(_ counter: String) -> Double {
                let new = status.audit.counters[counter, default: 0]
                return Double(max(0, new - previous.audit.counters[counter, default: 0])) / seconds
            }
            (finishedPerSecond, failedPerSecond) = (rate("finished"), rate("buried"))
        } else {
            let covered = max(0.001, status.recent.covered / .seconds(1))
            finishedPerSecond = Double(status.recent.finished) / covered
            failedPerSecond = Double(status.recent.failed) / covered
        }
        problems = Problem.all(in: status, workers, at: place, stalledAfter: stalledAfter)
    }

    /// Redis' memory in use, in hundredths of its limit; nil without a limit.
    var memoryPercent: Int? { status.memory?.percent }
}

extension OperatorQueue.Memory {
    /// Used of the limit; nil without one.
    var percent: Int? { maxBytes > 0 ? Int((Double(usedBytes) / Double(maxBytes) * 100).rounded()) : nil }
}

extension StatusReport.Worker {
    /// How long a lease is when it has just been renewed.
    private static let lease = QueueLimits().lease

    init(_ worker: OperatorQueue.Audit.Worker, _ info: [String: String]) {
        func number(_ field: String) -> Int? { info[field].flatMap { Int($0) } }
        func bytes(_ field: String) -> ByteCount? { number(field).flatMap { $0 >= 0 ? ByteCount($0) : nil } }
        (id, leaseLeft, hasLease, jobs) = (worker.id, worker.leaseLeft, worker.hasLease, worker.jobs)
        (host, pid, version) = (info["host"], number("pid"), info["version"])
        (running, finished, failed) = (number("running"), number("finished"), number("failed"))
        (reserved, budget) = (bytes("reserved_bytes"), bytes("budget_bytes"))
        resident = bytes("rss_bytes")
        // Both by the worker's own clock, then what has passed since it said so: no two clocks are compared.
        if let claim = info["last_claim_at"].flatMap({ Timestamp(rfc3339: $0) }),
            let seen = info["seen_at"].flatMap({ Timestamp(rfc3339: $0) }), worker.hasLease
        {
            let sinceRenewal = max(.zero, Self.lease - worker.leaseLeft)
            lastClaim = .milliseconds(max(0, seen.milliseconds - claim.milliseconds)) + sinceRenewal
        } else {
            lastClaim = nil
        }
    }
}
