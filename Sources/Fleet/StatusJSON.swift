import JobQueue
import Units

extension StatusReport {
    /// For programs: every member always there, `null` where nothing is known.
    var json: JSONValue {
        let audit = status.audit
        let recent = status.recent
        return .object([
            "queue": .string(place.queue),
            "at": .string(rfc3339(status.now)),
            "healthy": .flag(problems.isEmpty),
            "problems": .array(
                problems.map { .object(["code": .string($0.code.rawValue), "message": .string($0.message)]) }),
            "waiting": .integer(audit.waiting),
            "oldest_waiting_at_least_seconds": .optional(recent.oldestWaited),
            "delayed": .integer(audit.delayed),
            "next_due_seconds": .optional(status.nextDue),
            "running": .integer(audit.running),
            "dead": .integer(audit.dead),
            "results": .integer(audit.results),
            "paused": .flag(status.pauseReason != nil),
            "pause_reason": .optional(status.pauseReason),
            "taken": .integer(audit.taken),
            "missing": .integer(audit.missing),
            "finished_per_second": .number(finishedPerSecond),
            "failed_per_second": .number(failedPerSecond),
            "recent": .object([
                "window_seconds": .number(recent.covered / .seconds(1)),
                "finished": .integer(recent.finished),
                "failed": .integer(recent.failed),
                "failures": .counts(recent.failures),
            ]),
            "retrying": .integer(recent.retrying),
            "newer_version": .integer(recent.newer),
            "redis": .object([
                "used_memory_bytes": .optional(status.memory?.usedBytes),
                "maxmemory_bytes": .optional(status.memory?.maxBytes),
                "maxmemory_policy": .optional(status.memory?.policy),
                "uptime_seconds": .optional(status.durability?.uptime),
                "append_only": status.durability.map { .flag($0.keepsLog) } ?? .null,
                "snapshots": status.durability?.savesSnapshots.map { .flag($0) } ?? .null,
                "last_write_ok": status.durability.map { .flag($0.isWriting) } ?? .null,
            ]),
            "workers": .array(workers.map(\.json)),
        ])
    }
}

extension StatusReport.Worker {
    fileprivate var json: JSONValue {
        .object([
            "id": .string(id), "alive": .flag(isAlive), "host": .optional(host), "pid": .optional(pid),
            "version": .optional(version), "jobs": .integer(jobs), "running": .optional(running),
            "reserved_bytes": .optional(reserved.map { Int($0.bytes) }),
            "reserved_peak_bytes": .optional(reservedPeak.map { Int($0.bytes) }),
            "budget_bytes": .optional(budget.map { Int($0.bytes) }),
            "rss_bytes": .optional(resident.map { Int($0.bytes) }),
            "lease_left_seconds": hasLease ? .optional(leaseLeft) : .null,
            "seen_seconds_ago": .optional(silence), "last_claim_seconds": .optional(lastClaim),
            "finished": .optional(finished), "failed": .optional(failed),
        ])
    }
}
