import CommandLineOptions
import JobQueue
import Units

/// Which dead jobs are meant.
struct DeadSelection: Sendable {
    /// Ids of jobs or of entries; empty when the rest decides.
    let names: [String]
    /// Empty is any.
    let codes: Set<String>
    let since: Duration?
    let olderThan: Duration?

    init(_ values: OptionValues) throws(UsageError) {
        names = values.operands
        codes = Set(values[FleetOptions.codes])
        since = values[FleetOptions.since]
        olderThan = values[FleetOptions.olderThan]
        if !names.isEmpty, isFiltered {
            throw UsageError([
                .combination("expected either ids or --code, --since and --older-than, got both")
            ])
        }
        if let since, let olderThan, olderThan >= since {
            throw UsageError([
                .combination(
                    "--older-than: nothing is older than \(olderThan.shortText) and buried in the last "
                        + since.shortText)
            ])
        }
    }

    /// ` buried longer than 7 d ago`, or nothing.
    var ageText: String {
        switch (since, olderThan) {
        case (nil, nil): ""
        case (let since?, nil): " buried in the last \(since.shortText)"
        case (nil, let olderThan?): " buried longer than \(olderThan.shortText) ago"
        case (let since?, let olderThan?):
            " buried between \(since.shortText) and \(olderThan.shortText) ago"
        }
    }

    var isFiltered: Bool { !codes.isEmpty || since != nil || olderThan != nil }

    /// Looks at each job that is meant, the newest first, until `look` returns false.
    func forEach(in queue: OperatorQueue, _ look: (DeadJob) -> Bool) async throws(FleetError) {
        guard names.isEmpty else {
            // Two names may mean the same entry.
            var seen: Set<String> = []
            for name in names {
                let jobs = try await asking { () throws(QueueError) in try await queue.dead(named: name) }
                if jobs.isEmpty {
                    let elsewhere = try await asking { () throws(QueueError) in
                        try await queue.whereabouts(ofJob: name)
                    }
                    throw .noSuchJob(name, elsewhere: elsewhere)
                }
                for job in jobs where seen.insert(job.entry).inserted {
                    guard look(job) else { return }
                }
            }
            return
        }
        let now = try await asking { () throws(QueueError) in try await queue.now() }
        let period = OperatorQueue.Period(
            from: since.map { max(0, now - $0.wholeMilliseconds) },
            to: olderThan.map { max(0, now - $0.wholeMilliseconds) })
        try await asking { () throws(QueueError) in
            try await queue.forEachDead(in: period) {
                codes.isEmpty || codes.contains($0.code) ? look($0) : true
            }
        }
    }
}
