import PictureFormats

/// What a run did, for people and as JSON.
struct EnqueueSummary: Equatable {
    /// How a waited-for batch ended.
    struct Outcome: Equatable {
        var finished: Int
        var failed: Int
        /// Failed jobs by error code.
        var errors: [String: Int]
    }

    var batch: String
    var enqueued = 0
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

    /// A few lines for people.
    var text: String {
        var lines = [
            isDryRun ? "would enqueue \(jobs(enqueued))" : "enqueued \(jobs(enqueued)) as batch \(batch)"
        ]
        if skippedTotal > 0 {
            let reasons = skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "\($0.value) \($0.key)"
            }
            lines.append("skipped \(skippedTotal): " + reasons.joined(separator: ", "))
        }
        if let outcome {
            lines.append("finished \(outcome.finished), failed \(outcome.failed)")
            let errors = outcome.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            lines += errors.map { "  \($0.value)  \($0.key)" }
        }
        return lines.joined(separator: "\n")
    }

    private func jobs(_ count: Int) -> String { count == 1 ? "1 job" : "\(count) jobs" }
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
