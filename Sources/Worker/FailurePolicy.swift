import Files
import Geometry
import JobQueue
import MemoryBudget
import PictureFormats
import Thumbnails
import Units

/// The one table from what went wrong to what is published, and so to retry or bury: a code's
/// `isRetryable` decides which.
///
/// Wording comes from the error itself; here stand the code, the facts that a program may read, and where this worker
/// looks: producers rarely know, and most paths that are wrong are right elsewhere.
struct FailurePolicy {
    /// The directories of `--source-root`.
    let sources: [String]
    /// That of `--output`.
    let output: String

    func failure(for problem: JobProblem) -> JobFailure {
        switch problem {
        case .invalidJob(let problems): JobFailure(.invalidJob, problems.joined(separator: "; "))
        case .request(let error): failure(for: error)
        case .source(let error): failure(forSource: error)
        case .picture(let error): failure(for: error)
        case .budget(let error): failure(for: error)
        case .output(let error): failure(forOutput: error)
        case .timedOut(let limit):
            JobFailure(
                .timedOut,
                "decoding took longer than \(limit.shortText); --job-timeout allows more",
                detail: ["limit_ms": .integer(Int(limit.wholeMilliseconds))])
        case .givenBack:
            preconditionFailure("a job that is given back has not failed")
        }
    }

    private func failure(for error: GeometryError) -> JobFailure {
        switch error {
        case .targetTooSmall(let displayed, _, _):
            JobFailure(
                .targetTooSmall, error.description,
                detail: ["width": .integer(displayed.width), "height": .integer(displayed.height)])
        case .malformedPointSize, .invalidPointSize, .invalidScale, .invalidBox, .noScale:
            JobFailure(.invalidJob, error.description)
        }
    }

    private func failure(forSource error: FileError) -> JobFailure {
        switch error {
        case .notFound: JobFailure(.sourceNotFound, "\(error) beneath \(quoted(sources))")
        case .invalidPath: JobFailure(.invalidJob, error.description)
        case .outsideRoots: JobFailure(.sourceForbidden, "\(error): \(quoted(sources))")
        case .notARegularFile(_, let kind):
            JobFailure(.sourceForbidden, error.description, detail: ["found": .string(kind.rawValue)])
        case .sourceUnreadable(_, let reason) where reason.isPermissionDenied:
            // Asking again does not help, giving the worker the right to read does.
            JobFailure(.sourceForbidden, error.description, detail: ["errno": .integer(Int(reason.number))])
        case .sourceUnreadable(_, let reason), .directoryUnusable(_, let reason),
            .outputUnwritable(_, let reason):
            JobFailure(.sourceUnreadable, error.description, detail: ["errno": .integer(Int(reason.number))])
        case .changedWhileRead, .tooLarge, .outOfMemory:
            // Larger than when it was planned for: changed, too.
            JobFailure(.sourceUnreadable, error.description)
        }
    }

    private func failure(for error: PictureError) -> JobFailure {
        let message = error.description
        switch error {
        case .empty, .notAPicture: return JobFailure(.notAnImage, message)
        case .unsupported(let format, _):
            return JobFailure(.unsupportedFormat, message, detail: ["format": .string(format.rawValue)])
        case .damaged(.header): return JobFailure(.damagedImage, message)
        case .damaged(.rows(let good, let total)):
            return JobFailure(
                .damagedImage, message, detail: ["rows_good": .integer(good), "rows": .integer(total)])
        case .truncated(let good, let total):
            return JobFailure(
                .truncatedImage, message, detail: ["rows_good": .integer(good), "rows": .integer(total)])
        case .truncatedHeader(let length):
            return JobFailure(.truncatedImage, message, detail: ["bytes": .integer(length)])
        case .refused: return JobFailure(.imageRefused, message)
        case .geometry(let error): return failure(for: error)
        // Asked for a second time, more memory can only be wanted by another file.
        case .changed, .needsMemory: return JobFailure(.sourceUnreadable, message)
        case .stopped, .failed: return JobFailure(.internal, message)
        }
    }

    private func failure(for error: BudgetError) -> JobFailure {
        switch error {
        case .exceedsBudget(let required, let budget):
            JobFailure(
                .memoryBudgetExceeded,
                "the job needs \(required), more than the worker's whole budget of \(budget); "
                    + "--memory-budget allows more",
                detail: [
                    "required_bytes": .integer(Int(required.bytes)),
                    "budget_bytes": .integer(Int(budget.bytes)),
                ])
        case .cancelled, .noLimitFound, .residentSizeUnknown: JobFailure(.internal, error.description)
        }
    }

    private func failure(forOutput error: FileError) -> JobFailure {
        switch error {
        case .outsideRoots: JobFailure(.sourceForbidden, "output: \(error): \(quoted([output]))")
        case .invalidPath: JobFailure(.invalidJob, "output: \(error)")
        case .outputUnwritable(_, let reason), .directoryUnusable(_, let reason),
            .sourceUnreadable(_, let reason):
            JobFailure(.outputUnwritable, error.description, detail: ["errno": .integer(Int(reason.number))])
        case .notFound, .notARegularFile, .changedWhileRead, .tooLarge, .outOfMemory:
            JobFailure(.outputUnwritable, error.description)
        }
    }

    private func quoted(_ paths: [String]) -> String {
        paths.map { "“\($0)”" }.joined(separator: ", ")
    }
}
