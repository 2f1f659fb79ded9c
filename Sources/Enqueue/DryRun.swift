import CommandLineOptions
import Files
import Glibc

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
        defer { fflush(nil) }
        var summary = EnqueueSummary(
            batch: request.batch, place: request.source.place, isDryRun: true)
        var warnings = SkipWarnings(tell: complain)
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
        if request.printsJSON { print(summary.json) } else { complain(summary.pushedText) }
        return request.failsIfEmpty && summary.enqueued == 0 ? .noInput : .done
    }
}
