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
        /// Since it last said how it is, which is what follows; nil without a lease.
        let silence: Duration?
        /// Nil where it said nothing.
        let running: Int?
        let reserved: ByteCount?
        /// The most that was reserved at one time since it started; nil where an older worker does not say it.
        let reservedPeak: ByteCount?
        let budget: ByteCount?
        let resident: ByteCount?
        /// Jobs that it settled since it started, finished and buried.
        let finished: Int?
        let failed: Int?
        /// Why it last sent a job to another attempt, and when, in ms since 1970 by Redis' clock.
        let lastRetry: (code: String, at: Int64)?
        /// Since it last claimed a job; nil when it never did.
        let lastClaim: Duration?

        var isAlive: Bool { leaseLeft > .zero }

        /// ` on host vm, pid 7`, or nothing where that is not known.
        var whereabouts: String {
            guard let host else { return "" }
            return " on host \(printable(host))" + (pid.map { ", pid \($0)" } ?? "")
        }
    }

    let place: QueuePlace
    let status: OperatorQueue.Status
    let workers: [Worker]
    /// Jobs settled a second: between two looks where there were two, else over the recent results.
    let finishedPerSecond: Double
    let failedPerSecond: Double
    /// Between the two looks that the rates are of; nil when they are of the recent results.
    let betweenLooks: Duration?
    let problems: [Problem]

    /// - Parameter previous: the look before, for a rate between the two.
    init(
        _ status: OperatorQueue.Status, at place: QueuePlace, _ limits: HealthLimits,
        since previous: OperatorQueue.Status? = nil
    ) {
        self.place = place
        self.status = status
        let workers = status.audit.workers.map { Worker($0, status.infos[$0.id] ?? [:]) }
            .sorted { ($0.host ?? "~", $0.id) < ($1.host ?? "~", $1.id) }
        self.workers = workers
        let seconds = previous.map { Double(status.now - $0.now) / 1_000 } ?? 0
        if let previous, seconds > 0 {
            func rate(_ counter: String) -> Double {
                let new = status.audit.counters[counter, default: 0]
                return Double(max(0, new - previous.audit.counters[counter, default: 0])) / seconds
            }
            (finishedPerSecond, failedPerSecond) = (rate("finished"), rate("buried"))
            betweenLooks = .milliseconds(status.now - previous.now)
        } else {
            let covered = max(0.001, status.recent.covered / .seconds(1))
            finishedPerSecond = Double(status.recent.finished) / covered
            failedPerSecond = Double(status.recent.failed) / covered
            betweenLooks = nil
        }
        problems = Problem.all(in: status, workers, at: place, limits)
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
        silence = worker.hasLease ? max(.zero, Self.lease - worker.leaseLeft) : nil
        lastRetry = info["last_retry_code"].flatMap { code in
            info["last_retry_ms"].flatMap { Int64($0) }.map { (code, $0) }
        }
        (running, finished, failed) = (number("running"), number("finished"), number("failed"))
        (reserved, budget) = (bytes("reserved_bytes"), bytes("budget_bytes"))
        reservedPeak = bytes("reserved_peak_bytes")
        resident = bytes("rss_bytes")
        // Both by the worker's own clock, then what has passed since it said so: no two clocks are compared.
        if let claim = info["last_claim_at"].flatMap({ Timestamp(rfc3339: $0) }),
            let seen = info["seen_at"].flatMap({ Timestamp(rfc3339: $0) }), let silence
        {
            lastClaim = .milliseconds(max(0, seen.milliseconds - claim.milliseconds)) + silence
        } else {
            lastClaim = nil
        }
    }
}
