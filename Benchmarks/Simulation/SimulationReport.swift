import JobQueue

/// What came of a run, as text; `problems` is empty when every job was finished once.
struct SimulationReport: CustomStringConvertible {
    let settings: Simulation.Settings
    /// Of Redis: while the jobs were pushed, while they were worked off, while nothing was to do.
    let pushed: RedisFigures
    let worked: RedisFigures
    let idle: RedisFigures
    let accounts: [SimulatedWorker.Account]
    let audit: OperatorQueue.Audit

    private var jobs: Double { Double(settings.jobs) }

    var problems: [String] {
        var problems: [String] = []
        let (finished, stale) = (
            accounts.reduce(0) { $0 + $1.finished }, accounts.reduce(0) { $0 + $1.stale }
        )
        if finished != settings.jobs { problems.append("\(finished) of \(settings.jobs) jobs were finished") }
        if stale > 0 { problems.append("\(stale) jobs were taken away from a live worker") }
        if audit.counters["finished"] != settings.jobs {
            problems.append("Redis counted \(audit.counters["finished"] ?? 0) finished jobs")
        }
        if audit.waiting + audit.delayed + audit.running != 0 { problems.append("jobs are left in Redis") }
        return problems
    }

    var description: String {
        let most = Double(settings.workers * settings.slots) / max(settings.hold / .seconds(1), 1e-9)
        var lines = [
            "\(settings.workers) workers of \(settings.slots) jobs each, \(settings.jobs) jobs of "
                + "\(settings.hold) on average"
                + (settings.hold > .zero ? ": at most \(rounded(most, 0)) jobs a second" : "")
        ]
        lines += workedLines + costLines + times + fairness + idleLines
        lines += problems.map { "! " + $0 }
        return lines.joined(separator: "\n")
    }

    private var workedLines: [String] {
        let seconds = worked.time / .seconds(1)
        return [
            "  worked off       in \(rounded(seconds, 1)) s, \(rounded(jobs / seconds, 0)) jobs a second",
            "  Redis            \(rounded(worked.cpuShare * 100, 1)) % of a core",
        ]
    }

    /// What one job costs Redis. The renewals of the time are in it.
    private var costLines: [String] {
        let cpu = worked.cpu / .microseconds(1) / jobs
        var lines = [
            "  one job          \(rounded(cpu, 1)) µs of Redis' CPU, so a core carries "
                + "\(rounded(1e6 / cpu, 0)) jobs a second",
            "                   \(rounded(Double(accounts.reduce(0) { $0 + $1.claims + $1.waits + $1.finished }) / jobs, 2)) "
                + "round trips, \(rounded(Double(worked.bytesIn) / jobs, 0)) bytes to Redis, "
                + "\(rounded(Double(worked.bytesOut) / jobs, 0)) from it",
            "  pushing it       \(rounded(pushed.cpu / .microseconds(1) / jobs, 1)) µs, "
                + "\(rounded(Double(pushed.bytesIn) / jobs, 0)) bytes; waiting it takes "
                + "\(rounded(Double(pushed.memoryBytes) / jobs, 0)) bytes of memory",
        ]
        let top = worked.commands.filter { $0.value.calls > 0 }
            .sorted { ($0.value.time, $0.key) > ($1.value.time, $1.key) }.prefix(6)
        for (name, command) in top {
            let each = command.time / .microseconds(1) / Double(command.calls)
            lines.append(
                "                   \(name) \(rounded(Double(command.calls) / jobs, 2)) a job, "
                    + "\(rounded(each, 1)) µs each")
        }
        return lines
    }

    private var times: [String] {
        [
            ("claim", accounts.flatMap(\.claimTimes)), ("finish", accounts.flatMap(\.finishTimes)),
            ("renew", accounts.flatMap(\.renewalTimes)),
        ].map { name, times in
            let sorted = times.sorted()
            func at(_ share: Double) -> String {
                guard let last = sorted.indices.last else { return "–" }
                return "\(rounded(sorted[Int(Double(last) * share)] / .milliseconds(1), 2))"
            }
            return "  \(name) answers   ms: median \(at(0.5)), 99 % \(at(0.99)), longest \(at(1))"
        }
    }

    private var fairness: [String] {
        let finished = accounts.map(\.finished).sorted()
        guard let least = finished.first, let most = finished.last else { return [] }
        return [
            "  jobs a worker    least \(least), median \(finished[finished.count / 2]), most \(most)"
        ]
    }

    private var idleLines: [String] {
        let seconds = idle.time / .seconds(1)
        guard settings.idle > .zero else { return [] }
        let each = Double(idle.roundTrips) / seconds / Double(settings.workers)
        return [
            "  idle             \(rounded(each, 2)) commands a second from each worker, Redis "
                + "\(rounded(idle.cpuShare * 100, 1)) % of a core, "
                + "\(rounded(idle.cpu / .microseconds(1) / seconds / Double(settings.workers), 0)) µs a second a worker"
        ]
    }
}

/// With so many digits after the point.
private func rounded(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite else { return "–" }
    var power = 1
    for _ in 0..<digits { power *= 10 }
    let scaled = Int((abs(number) * Double(power)).rounded())
    let whole = "\(number < 0 && scaled > 0 ? "-" : "")\(scaled / power)"
    guard digits > 0 else { return whole }
    let rest = String(scaled % power)
    return whole + "." + String(repeating: "0", count: digits - rest.count) + rest
}
