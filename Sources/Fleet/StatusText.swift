import JobQueue
import ProgramOptions
import Units

extension StatusReport {
    /// For people. `width` cuts the table of workers.
    func lines(_ palette: Palette, width: Int? = nil) -> [String] {
        let title = palette.paint("\(printable(place.queue))", .bold) + " at \(place.redis)"
        let health =
            problems.isEmpty
            ? palette.paint("healthy", .green) : palette.paint(count(problems.count, "problem"), .red)
        var lines = ["\(title), \(moment(status.now)): \(health)"]
        lines += problems.map { "  " + palette.paint("!", .red) + " " + $0.message }
        lines.append("")
        lines += facts(palette)
        lines.append("")
        lines += workerLines(palette, width: width)
        return lines
    }

    private func facts(_ palette: Palette) -> [String] {
        let audit = status.audit
        let recent = status.recent
        var rows: [(String, String, String)] = [
            ("waiting", grouped(audit.waiting), age(palette)),
            ("delayed", grouped(audit.delayed), due),
            ("running", grouped(audit.running), "on \(count(workers.count { $0.isAlive }, "live worker"))"),
            ("dead", grouped(audit.dead), audit.dead > 0 ? "see \(ProgramNames.fleet) dead" : ""),
        ]
        let window =
            recent.isCut
            ? "the last \(count(recent.finished + recent.failed, "result")), \(recent.covered.shortText)"
            : "the last \(recent.covered.shortText)"
        // In the first look both are of the same results; in a later one the rate is of now.
        let rate = betweenLooks.map { "over \($0.shortText); " } ?? "on average; "
        rows.append(
            (
                "finished", "\(decimal(finishedPerSecond))/s",
                "\(rate)\(grouped(recent.finished)) in \(window)"
            ))
        let failures = recent.failed > 0 ? ": " + list(recent.failures) : ""
        rows.append(
            (
                "failed", "\(decimal(failedPerSecond))/s",
                "\(rate)\(grouped(recent.failed)) in \(window)\(failures)"
            ))
        rows.append(("redis", memoryFigure, memoryText))
        rows.append(("on disk", onDisk, durabilityText(palette)))
        let missing = audit.missing == 0 ? "none" : grouped(audit.missing)
        rows.append(("missing", missing, "of \(count(audit.taken, "job")) ever taken"))
        let width = rows.map(\.1.count).max() ?? 0
        return rows.map { name, figure, text in
            let space = String(repeating: " ", count: width - figure.count)
            return "  " + name + String(repeating: " ", count: 10 - name.count) + space
                + palette.paint(figure, .bold) + (text.isEmpty ? "" : "  \(text)")
        }
    }

    private func age(_ palette: Palette) -> String {
        var text = ""
        if status.audit.waiting > 0 {
            text =
                status.recent.oldestWaited.map { "the oldest for \($0.shortText) at least" }
                ?? "a pushed job carries no time: how long, the next look can tell"
        }
        guard let reason = status.pauseReason else { return text }
        return palette.paint("paused (\(printable(reason)))", .yellow) + (text.isEmpty ? "" : ", \(text)")
    }

    private var due: String {
        guard let due = status.nextDue else { return "" }
        return due > .zero ? "the next is due in \(due.shortText)" : "due now"
    }

    private var memoryFigure: String { status.memory.map { "\(ByteCount($0.usedBytes))" } ?? "?" }

    private var memoryText: String {
        guard let memory = status.memory else { return "memory unknown: the Redis user may not ask (INFO)" }
        let limit = memory.percent.map { "of \(ByteCount(memory.maxBytes)) (\($0) %)" } ?? "no maxmemory"
        return "\(limit), \(memory.policy)"
    }

    private var onDisk: String {
        guard let durability = status.durability else { return "?" }
        switch (durability.keepsLog, durability.savesSnapshots) {
        case (true, _): return "log"
        case (false, true?): return "snapshots"
        case (false, false?): return "nothing"
        case (false, nil): return "?"
        }
    }

    private func durabilityText(_ palette: Palette) -> String {
        guard let durability = status.durability else { return "the Redis user may not ask (INFO)" }
        var text =
            switch onDisk {
            case "log": "jobs outlive a restart of Redis (appendonly)"
            case "snapshots": "a restart of Redis loses what came after the last snapshot: set appendonly yes"
            case "nothing":
                palette.paint("jobs live only in Redis' memory, a restart loses them", .yellow)
                    + ": set appendonly yes"
            default: "no append-only log; the Redis user may not ask for snapshots (CONFIG GET)"
            }
        if !durability.isWriting { text += "; " + palette.paint("the last write to disk failed", .red) }
        return text + "; Redis runs for \(durability.uptime.shortText)"
    }

    private func workerLines(_ palette: Palette, width: Int?) -> [String] {
        guard !workers.isEmpty else { return ["no worker"] }
        var table = TextTable([
            ("WORKER", .left), ("HOST", .left), ("PID", .right), ("RUNNING", .right), ("SEEN", .right),
            ("LAST CLAIM", .right), ("RSS", .right), ("RESERVED", .right), ("PEAK", .right),
            ("BUDGET", .right),
            ("FINISHED", .right), ("FAILED", .right), ("VERSION", .left),
        ])
        for worker in workers {
            table.append([
                printable(worker.id), printable(worker.host ?? "?"), worker.pid.map { "\($0)" } ?? "?",
                grouped(worker.jobs), worker.seen,
                worker.lastClaim.map { "\($0.shortText) ago" } ?? "never",
                worker.resident.map { "\($0)" } ?? "?", worker.reserved.map { "\($0)" } ?? "?",
                worker.reservedPeak.map { "\($0)" } ?? "?",
                worker.budget.map { "\($0)" } ?? "?", worker.finished.map { grouped($0) } ?? "?",
                worker.failed.map { grouped($0) } ?? "?", printable(worker.version ?? "?"),
            ])
        }
        let lines = table.lines(width: width)
        return [palette.paint(lines[0], .dim)]
            + zip(lines.dropFirst(), workers).map { $1.isAlive ? $0 : palette.paint($0, .red) }
    }
}

extension StatusReport.Worker {
    /// When it last said what its row says.
    fileprivate var seen: String {
        guard let silence else { return "no lease" }
        return isAlive ? "\(silence.shortText) ago" : "DEAD \((.zero - leaseLeft).shortText)"
    }
}
