import JobQueue
import PictureFormats
import ProgramOptions
import Units

/// What a run did, for people and as JSON.
struct EnqueueSummary: Equatable {
    /// How a waited-for batch ended.
    struct Outcome: Equatable {
        var finished: Int
        var failed: Int
        /// Failed jobs by error code.
        var errors: [String: Int]
        /// How long it was waited for; nil where that says nothing.
        var took: Duration?
    }

    var batch: String
    /// Where was looked: `beneath photos`.
    var place = "here"
    var enqueued = 0
    /// The job pushed last, and with it all before it.
    var lastJob: [UInt8]?
    /// Files that were found and not enqueued, by reason.
    var skipped: [String: Int] = [:]
    var isDryRun = false
    var outcome: Outcome?

    var skippedTotal: Int { skipped.values.reduce(0, +) }

    mutating func skip(_ reason: SkipReason) {
        skipped[reason.group, default: 0] += 1
    }

    /// One object without a newline; keys in a fixed order.
    var json: String {
        var fields = [
            #""batch":"# + jsonString(batch), #""enqueued":\#(enqueued)"#, #""skipped":\#(skippedTotal)"#,
        ]
        if isDryRun { fields.append(#""dry_run":true"#) }
        if let outcome {
            let errors = outcome.errors.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\($0.value)" }
            fields += [
                #""finished":\#(outcome.finished)"#, #""failed":\#(outcome.failed)"#,
                #""errors":{\#(errors.joined(separator: ","))}"#,
            ]
        }
        return "{\(fields.joined(separator: ","))}"
    }

    /// What was found and pushed, in a line or two for people.
    var pushedText: String {
        let jobs = count(enqueued, "job")
        let first =
            if enqueued == 0 {
                skippedTotal == 0
                    ? "nothing to enqueue: there is no file \(place)"
                    : "nothing to enqueue: no picture that workers can read among "
                        + "\(count(skippedTotal, "file")) \(place)"
            } else {
                isDryRun ? "would enqueue \(jobs)" : "enqueued \(jobs) as batch \(batch)"
            }
        guard skippedTotal > 0 else { return first }
        let reasons = mostFrequent(skipped).map { "\($0.count) \($0.name)" }.joined(separator: ", ")
        return first + "\nskipped \(skippedTotal): \(reasons)"
    }

    /// Where a run stands that ends early; a clause for people.
    var standing: String {
        guard enqueued > 0 else { return "nothing was enqueued" }
        var text = "\(count(enqueued, "job")) \(enqueued == 1 ? "was" : "were") enqueued as batch \(batch)"
        if let lastJob, case .job(let job) = Job.read(lastJob) {
            text += ", the last one for “\(job.source)”"
        }
        return text
    }
}

extension EnqueueSummary.Outcome {
    /// How it ended, with a line for each error code that says what to do.
    var text: String {
        let time = took.map { " in \($0.shortText)" } ?? ""
        let errors = mostFrequent(errors).map {
            "  \($0.count)  \($0.name): \(FailureAdvice.advice(for: $0.name))"
        }
        return (["finished \(finished), failed \(failed)\(time)"] + errors).joined(separator: "\n")
    }
}

/// The most frequent first; of equally frequent ones in the order of their names.
private func mostFrequent(_ counts: [String: Int]) -> [(name: String, count: Int)] {
    counts.map { (name: $0.key, count: $0.value) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
}

extension SkipReason {
    /// The word under which such files are counted.
    fileprivate var group: String {
        switch self {
        case .noPicture: "no picture"
        case .otherFormat(let format): "in \(format.rawValue) format"
        case .unreadable: "unreadable"
        case .nameIsNoText: "with a name that is no UTF-8"
        case .pathTooLong: "with too long a path"
        case .notBeneath: "outside the given directory"
        }
    }
}
