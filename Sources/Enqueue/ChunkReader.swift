import Files
import Synchronization

/// Reads the pictures of a run, some at a time, as the jobs that are pushed.
///
/// Reading blocks on directories and files, so it is called on a blocking thread, by one caller at a time.
final class ChunkReader: Sendable {
    struct Portion: Sendable {
        var jobs: [[UInt8]] = []
        /// Files that were found and make no job.
        var skipped: [(path: String, reason: SkipReason)] = []
        /// There is no more.
        var isLast = false
    }

    /// How long a portion is gathered after its first file. Nobody sees the delay, and workers need not
    /// wait for the thousandth name of a slow disk or of a program that is still looking.
    private static let gathering = Duration.milliseconds(200)

    private let source: Mutex<PictureSource>
    private let template: JobTemplate

    init(_ source: consuming sending PictureSource, _ template: JobTemplate) {
        self.source = Mutex(source)
        self.template = template
    }

    /// The next portion: one file at least, except at the end, and at most `limit`.
    func read(atMost limit: Int) throws(FileError) -> Portion {
        try source.withLock { source throws(FileError) in
            var portion = Portion()
            var deadline: ContinuousClock.Instant?
            while portion.jobs.count + portion.skipped.count < limit {
                switch try source.next(until: deadline) {
                case .job(let path)?: portion.jobs.append(template.job(source: path))
                case .skipped(let path, let reason)?: portion.skipped.append((path, reason))
                case .nothingYet?: return portion
                case nil:
                    portion.isLast = true
                    return portion
                }
                let now = ContinuousClock.now
                if let deadline, now > deadline { return portion }
                deadline = deadline ?? now + Self.gathering
            }
            return portion
        }
    }
}
