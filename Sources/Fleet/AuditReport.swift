import JobQueue
import Units

/// What an audit found, in numbers and in words.
struct AuditReport {
    let audit: OperatorQueue.Audit
    /// Jobs in lists whose worker has no lease: nobody reclaims them until one is given.
    let listsWithoutLease: [String: Int]
    let expired: [OperatorQueue.Audit.Worker]
    /// Jobs that workers say they run beyond what is in their lists: taken by plain BRPOP, or settled since.
    let unlisted: Int
    /// False when there were too many keys or batches to look at all of them.
    let isComplete: Bool

    /// - Parameter infos: what workers said of themselves.
    init(
        _ audit: OperatorQueue.Audit, listsWithoutLease: [String: Int], infos: [String: [String: String]],
        isComplete: Bool
    ) {
        self.audit = audit
        self.listsWithoutLease = listsWithoutLease
        self.isComplete = isComplete
        expired = audit.workers.filter { $0.hasLease && !$0.isAlive && $0.jobs > 0 }
        unlisted = audit.workers.filter(\.isAlive).reduce(0) { sum, worker in
            sum + max(0, (infos[worker.id]?["running"].flatMap { Int($0) } ?? 0) - worker.jobs)
        }
    }

    /// Missing from the batches beyond what workers may hold outside of their lists.
    var missingOfBatches: Int { max(0, audit.missingOfBatches - unlisted) }

    func isSound(repaired: [String]) -> Bool {
        audit.missing == 0 && missingOfBatches == 0 && Set(listsWithoutLease.keys).isSubset(of: repaired)
    }

    private static let moves = ["finished", "buried", "retried", "reclaimed", "released"]

    func lines(_ place: QueuePlace, _ palette: Palette, repaired: [String]) -> [String] {
        var lines = [palette.paint(printable(place.queue), .bold) + " at \(place.redis)", ""]
        let sum = Self.moves.map { "\(grouped(audit.counters[$0, default: 0])) \($0)" }
        lines.append("  \(count(audit.taken, "job")) taken from the queue")
        lines.append("  = \(sum.joined(separator: " + ")) + \(grouped(audit.running)) in workers' lists")
        lines.append("  " + verdict(audit.missing, palette))
        lines.append("")
        lines.append(
            "  now \(grouped(audit.waiting)) wait, \(grouped(audit.delayed)) are delayed, "
                + "\(grouped(audit.running)) run, \(grouped(audit.dead)) are dead; operators retried "
                + "\(grouped(audit.counters["dead_retried", default: 0])) dead jobs and discarded "
                + "\(grouped(audit.counters["dead_discarded", default: 0]))")
        lines += batchLines(palette)
        lines += listLines(place, palette, repaired: repaired)
        if !isComplete { lines.append("  there were too many keys to look at all of them") }
        return lines
    }

    private func verdict(_ missing: Int, _ palette: Palette) -> String {
        if missing == 0 { return palette.paint("no job is missing", .green) }
        if missing > 0 { return palette.paint("\(count(missing, "job")) missing", .red) }
        return palette.paint(
            "\(count(-missing, "job")) more than were taken: the counters were changed", .red)
    }

    private func batchLines(_ palette: Palette) -> [String] {
        let counted = audit.batches.filter { $0.total != nil }
        let open = counted.filter { $0.open > 0 }
        var lines = [
            "  \(count(counted.count, "batch", plural: "batches")) with a total, "
                + "\(grouped(counted.count - open.count)) of them settled, "
                + "\(count(open.reduce(0) { $0 + $1.open }, "job")) open"
        ]
        if missingOfBatches > 0 {
            lines.append(
                "  "
                    + palette.paint(
                        "\(count(missingOfBatches, "job")) of these batches are neither settled nor anywhere",
                        .red))
            for batch in open {
                lines.append(
                    "    \(printable(batch.name)): \(grouped(batch.total ?? 0)) enqueued, "
                        + "\(grouped(batch.finished)) finished, \(grouped(batch.failed)) failed, "
                        + "\(grouped(batch.open)) open")
            }
        } else if audit.missingOfBatches > 0 {
            lines.append(
                "  \(count(audit.missingOfBatches, "job")) of these are with workers that take jobs by plain "
                    + "BRPOP, or were settled in this moment")
        }
        for batch in counted where batch.open < 0 {
            lines.append(
                "  \(printable(batch.name)): \(count(-batch.open, "job")) more settled than enqueued: another "
                    + "producer pushed under this name without counting")
        }
        return lines
    }

    private func listLines(_ place: QueuePlace, _ palette: Palette, repaired: [String]) -> [String] {
        var lines: [String] = []
        for worker in expired {
            lines.append(
                "  \(count(worker.jobs, "job")) held by \(printable(worker.id)), whose lease is over for "
                    + "\((.zero - worker.leaseLeft).shortText): a live worker takes them back")
        }
        for (worker, jobs) in listsWithoutLease.sorted(by: { $0.key < $1.key }) {
            let what = "\(count(jobs, "job")) in the list of \(printable(worker)), which has no lease"
            lines.append(
                "  " + palette.paint(what, .red)
                    + (repaired.contains(worker)
                        ? ": it has one now; a live worker takes them back in 15 s"
                        : ": \(place.line(["audit", "--repair"]))"))
        }
        return lines
    }

    func json(_ place: QueuePlace, repaired: [String]) -> JSONValue {
        .object([
            "queue": .string(place.queue), "sound": .flag(isSound(repaired: repaired)),
            "taken": .integer(audit.taken),
            "finished": .integer(audit.counters["finished", default: 0]),
            "buried": .integer(audit.counters["buried", default: 0]),
            "retried": .integer(audit.counters["retried", default: 0]),
            "reclaimed": .integer(audit.counters["reclaimed", default: 0]),
            "released": .integer(audit.counters["released", default: 0]),
            "running": .integer(audit.running), "missing": .integer(audit.missing),
            "waiting": .integer(audit.waiting), "delayed": .integer(audit.delayed),
            "dead": .integer(audit.dead),
            "dead_retried": .integer(audit.counters["dead_retried", default: 0]),
            "dead_discarded": .integer(audit.counters["dead_discarded", default: 0]),
            "missing_of_batches": .integer(missingOfBatches),
            "batches": .array(
                audit.batches.map { batch in
                    .object([
                        "batch": .string(batch.name), "total": .optional(batch.total),
                        "finished": .integer(batch.finished), "failed": .integer(batch.failed),
                        "open": batch.total == nil ? .null : .integer(batch.open),
                    ])
                }),
            "expired_workers": .array(expired.map { .string($0.id) }),
            "lists_without_lease": .counts(listsWithoutLease),
            "repaired": .array(repaired.map { .string($0) }), "complete": .flag(isComplete),
        ])
    }
}
