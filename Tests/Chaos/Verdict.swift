import JobQueue
import Redis
import TestSupport

/// Whether everything that was pushed is in exactly one place, published once, and right.
public struct Verdict: Sendable {
    /// What is wrong; empty when nothing is.
    public private(set) var problems: [String] = []
    /// Counts to print.
    private(set) var counts: [(name: String, count: Int)] = []

    /// - Precondition: nothing happens any more: producers have ended, and workers have left.
    init(_ site: Site, _ ledger: Ledger, references: [String: [UInt8]]) async throws {
        let places = try await Places(site)
        let audit = try await site.audit()
        compare(ledger.all, with: places)
        conserve(ledger.all, audit, places)
        for (id, entry) in ledger.all where places.outcome[id] == "done" {
            let expected = references[JobKinds.picture(of: id, entry.kind)]
            check(site.thumbnail(JobKinds.output(of: id)), of: id, against: expected)
        }
        for slot in site.slots {
            for end in slot.ends.unexpected { problems.append("ended unasked: " + end) }
        }
        let ends = site.slots.map(\.ends)
        counts += [
            ("workers started", ends.reduce(0) { $0 + $1.started }),
            ("killed", ends.reduce(0) { $0 + $1.killed }), ("left", ends.reduce(0) { $0 + $1.left }),
            ("trapped", ends.reduce(0) { $0 + $1.trapped }),
        ]
    }

    /// Each job is where its push says.
    private mutating func compare(_ ledger: [String: Ledger.Entry], with places: Places) {
        for (id, entry) in ledger {
            let count = places.count[id, default: 0]
            let allowed = entry.push == .acknowledged ? 1...1 : 0...1
            if !allowed.contains(count) {
                problems.append("\(id) (\(entry.kind), \(entry.push)) is in \(count) places")
            }
            let outcome = places.outcome[id]
            if count == 1, !entry.kind.mayEnd(as: outcome) {
                problems.append("\(id) (\(entry.kind)) ended as \(outcome ?? "unpublished")")
            }
        }
        for (id, count) in places.count where ledger[id] == nil {
            problems.append("\(id) was pushed by nobody, and is in \(count) places")
        }
    }

    /// pushed = finished + buried + waiting + running + delayed, and nothing that was taken is missing.
    private mutating func conserve(
        _ ledger: [String: Ledger.Entry], _ audit: OperatorQueue.Audit, _ places: Places
    ) {
        let pushes = Dictionary(grouping: ledger.values, by: \.push).mapValues(\.count)
        let certain = pushes[.acknowledged, default: 0]
        let (finished, buried) = (
            audit.counters["finished", default: 0], audit.counters["buried", default: 0]
        )
        let total = finished + buried + audit.waiting + audit.running + audit.delayed
        if !(certain...certain + pushes[.uncertain, default: 0]).contains(total) {
            problems.append("pushed \(pushes), and there are \(total)")
        }
        if audit.missing != 0 { problems.append("the audit misses \(audit.missing): \(audit)") }
        if finished + buried != places.published {
            problems.append("\(finished) finished and \(buried) buried, but \(places.published) published")
        }
        counts += [
            ("acknowledged", certain), ("uncertain", pushes[.uncertain, default: 0]),
            ("finished", finished), ("buried", buried),
            ("waiting", audit.waiting), ("delayed", audit.delayed), ("running", audit.running),
            ("retried", audit.counters["retried", default: 0]),
            ("reclaimed", audit.counters["reclaimed", default: 0]),
            ("released", audit.counters["released", default: 0]),
            ("crashed thrice", places.outcome.values.filter { $0 == ErrorCode.workerCrashed.rawValue }.count),
        ]
    }

    /// A whole thumbnail, the same as an undisturbed worker makes.
    private mutating func check(_ bytes: [UInt8]?, of id: String, against expected: [UInt8]?) {
        if bytes == nil || bytes != expected {
            problems.append("\(id): its thumbnail is \(bytes == nil ? "missing" : "another")")
        }
    }
}

extension Ledger.Kind {
    /// - Parameter outcome: `done`, an error code, or nil for what is not published.
    fileprivate func mayEnd(as outcome: String?) -> Bool {
        switch outcome {
        // Any job may have the misfortune that three workers are killed while they hold it.
        case ErrorCode.workerCrashed.rawValue: true
        case "done": self == .good || self == .slow
        case ErrorCode.truncatedImage.rawValue: self == .truncated
        case ErrorCode.sourceNotFound.rawValue: self == .missing
        case ErrorCode.outputUnwritable.rawValue: self == .unwritable
        case ErrorCode.invalidJob.rawValue: self == .rubbish || self == .notUTF8
        case nil: self == .newerVersion
        default: false
        }
    }
}

/// Where Redis holds each job.
private struct Places {
    /// In how many places a job is; a published one counts for each time it was published.
    var count: [String: Int] = [:]
    /// `done` or an error code, of what is published.
    var outcome: [String: String] = [:]
    var published = 0

    init(_ site: Site) async throws {
        var from = "-"
        while true {
            let reply = try await site.client.callWhenUp(
                RedisCommand("XRANGE", site.keys.results, from, "+", "COUNT", "5000", mayBeReplayed: true))
            let entries = reply.array ?? []
            for entry in entries { try note(entry) }
            guard let last = entries.last?.array?.first?.text else { break }
            from = "(" + last
        }
        for bytes in try await site.unpublished() { count[Job.read(bytes).ticket.id, default: 0] += 1 }
    }

    private mutating func note(_ entry: RedisReply) throws {
        let result = try JobResult(json: entry.array?.last?.array?.last?.bytes ?? [])
        count[result.id, default: 0] += 1
        outcome[result.id] = result.error?.code.rawValue ?? result.status.rawValue
        published += 1
    }
}

extension Verdict: CustomStringConvertible {
    /// The counts, and the problems that come first.
    public var description: String {
        let lines = counts.map { "  \($0.name): \($0.count)" } + problems.prefix(20).map { "WRONG  " + $0 }
        let verdict = problems.isEmpty ? "conserved" : "\(problems.count) problems"
        return (lines + [verdict]).joined(separator: "\n")
    }
}
