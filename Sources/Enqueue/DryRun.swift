import CommandLineOptions
import Files

/// `--dry-run`: prints the jobs instead of pushing them.
struct DryRun {
    private let request: EnqueueRequest
    private let reader: ChunkReader

    /// Files read before they are printed.
    private static let portion = 500

    init(_ request: EnqueueRequest, _ reader: ChunkReader) {
        self.request = request
        self.reader = reader
    }

    func run() -> ExitStatus {
        var summary = EnqueueSummary(batch: request.batch, isDryRun: true)
        var warnings = SkipWarnings()
        do throws(FileError) {
            var isLast = false
            while !isLast {
                let portion = try reader.read(atMost: Self.portion)
                isLast = portion.isLast
                summary.enqueued += portion.jobs.count
                if !request.printsJSON {
                    for job in portion.jobs { print(String(decoding: job, as: UTF8.self)) }
                }
                for (path, reason) in portion.skipped {
                    summary.skip(reason)
                    warnings.note(path, reason)
                }
            }
        } catch {
            complain(error.description)
            return .configuration
        }
        warnings.close()
        if request.printsJSON { print(summary.json) } else { complain(summary.text) }
        return .done
    }
}

/// Tells of files that the user may have wanted to be enqueued, but not of each of a thousand.
struct SkipWarnings {
    static let most = 20
    private var count = 0

    mutating func note(_ path: String, _ reason: SkipReason) {
        guard reason.deservesWarning else { return }
        count += 1
        if count <= Self.most { complain("skipped “\(path)”: \(reason)") }
    }

    func close() {
        if count > Self.most { complain("… and \(count - Self.most) more were skipped like these") }
    }
}

/// A line on standard error.
func complain(_ text: String) {
    writeToStandardError("enqueue: \(text)")
}
