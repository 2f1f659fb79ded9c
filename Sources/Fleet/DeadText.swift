import FoundationEssentials
import JobQueue
import ProgramOptions
import Units

extension DeadJob {
    /// Bytes of a job that are shown; `--json` has all.
    private static let shownBytes = 4_096

    func age(now: Int64) -> Duration { .milliseconds(max(0, now - buriedAt)) }

    var message: String { failure?.message ?? error }

    /// Everything that is known, and what to do, for people. `worker` buried it, where that is known.
    func wholeText(now: Int64, by worker: String?, _ place: QueuePlace, _ palette: Palette) -> String {
        let failure = failure
        var rows: [(String, String)] = [
            ("job", palette.paint(printable(id), .bold) + ", entry \(printable(entry)) of the dead list"),
            (
                "buried",
                "\(moment(buriedAt)), \(age(now: now).shortText) ago"
                    + (attempts.map { ", after \(count($0, "attempt"))" } ?? "")
            ),
            ("code", palette.paint(printable(code), .red)), ("message", printable(message)),
        ]
        if let failure {
            let details = failure.detail.sorted { $0.key < $1.key }.map {
                "\(printable($0.key)) \(printable($0.value.shown))"
            }
            if !details.isEmpty { rows.append(("detail", details.joined(separator: "\n"))) }
            rows.append(
                (
                    "retried",
                    failure.retryable
                        ? "yes, until it had failed too often"
                        : FailureAdvice.liesInJob(code)
                            ? "no: it would fail again"
                            : "no: it would fail again until the cause is removed; then retry it"
                ))
        }
        if let worker { rows.append(("worker", printable(worker))) }
        if let source { rows.append(("source", printable(source))) }
        if let batch { rows.append(("batch", printable(batch))) }
        let culprit = FailureAdvice.culprit(for: code).map { "\($0) fault, most likely: " } ?? ""
        rows.append(("to do", culprit + FailureAdvice.advice(for: code)))
        rows.append(("pushed", rawText))
        rows.append(("then", place.line(["retry", entry]) + "\n" + place.line(["discard", entry])))
        return rows.map { name, text in
            let margin = "\n" + String(repeating: " ", count: 9)
            return name + String(repeating: " ", count: 9 - name.count) + text.replacing("\n", with: margin)
        }.joined(separator: "\n")
    }

    private var rawText: String {
        guard let raw else { return "nothing: somebody else wrote this entry" }
        let shown = printable(Array(raw.prefix(Self.shownBytes)))
        let rest = raw.count - Self.shownBytes
        return rest > 0 ? "\(shown)\n… and \(count(rest, "byte")) more, which --json has" : shown
    }

    /// For programs. `job` is the pushed text, null where it is none; `job_base64` is always exact.
    func json(now: Int64) -> JSONValue {
        let failure = failure
        return .object([
            "id": .string(id), "entry": .string(entry), "code": .string(code),
            "attempts": .optional(attempts), "buried_at": .string(rfc3339(buriedAt)),
            "age_seconds": .optional(age(now: now)), "source": .optional(source), "batch": .optional(batch),
            "message": .string(message), "retryable": failure.map { .flag($0.retryable) } ?? .null,
            "detail": .object(
                (failure?.detail ?? [:]).sorted { $0.key < $1.key }.map {
                    JSONValue.Member(name: $0.key, value: $0.value.json)
                }),
            "job": .optional(raw.flatMap { String(validating: $0, as: UTF8.self) }),
            "job_base64": .optional(raw.map { Data($0).base64EncodedString() }),
        ])
    }
}

extension DetailValue {
    fileprivate var shown: String {
        switch self {
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .string(let text): text
        case .flag(let flag): flag ? "yes" : "no"
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .flag(let flag): .flag(flag)
        }
    }
}
