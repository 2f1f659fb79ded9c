internal import JobQueue

/// What a person can do about failed jobs: one sentence a code.
public enum FailureAdvice {
    /// Whose mistake it most likely is; nil for a code that only a newer version knows.
    public static func culprit(for text: String) -> String? {
        guard let code = ErrorCode(rawValue: text) else { return nil }
        return switch code {
        case .invalidJob, .targetTooSmall: "the producer's"
        case .sourceNotFound, .sourceForbidden: "the producer's or the operator's"
        case .notAnImage, .unsupportedFormat, .damagedImage, .truncatedImage, .imageRefused: "the file's"
        case .sourceUnreadable, .memoryBudgetExceeded, .outputUnwritable, .timedOut: "the operator's"
        case .workerCrashed, .internal: "the worker's"
        }
    }

    /// The job or its picture is to blame: it fails again, however healthy the fleet is. False for a code that
    /// only a newer version knows.
    public static func liesInJob(_ text: String) -> Bool {
        guard let code = ErrorCode(rawValue: text) else { return false }
        return switch code {
        case .invalidJob, .targetTooSmall, .notAnImage, .unsupportedFormat, .damagedImage, .truncatedImage,
            .imageRefused:
            true
        case .sourceNotFound, .sourceForbidden, .sourceUnreadable, .memoryBudgetExceeded, .outputUnwritable,
            .timedOut, .workerCrashed, .internal:
            false
        }
    }

    /// `text` is a code as published; a newer worker may have others than we know.
    public static func advice(for text: String) -> String {
        guard let code = ErrorCode(rawValue: text) else { return "see the worker's log" }
        return switch code {
        case .invalidJob: "the bytes are no job that can be done; the message says why"
        case .targetTooSmall: "the box has no whole pixel for these pictures; ask for a larger one"
        case .sourceNotFound:
            "the worker does not find the file; does it see the same paths? --relative-to helps"
        case .sourceForbidden:
            "the file lies outside of the worker's --source-root, its thumbnail outside of --output, or the worker may "
                + "not read it"
        case .sourceUnreadable: "reading failed five times; look at the disk or the network share"
        case .notAnImage: "the file is no picture, whatever its name says"
        case .unsupportedFormat:
            "a picture of a kind that is not decoded, such as PNG or HEIC; convert it to JPEG before it is enqueued"
        case .damagedImage: "the picture data is damaged; workers with --accept-partial show what is left"
        case .truncatedImage:
            "the file is cut off, as by a broken upload; --accept-partial shows what is left"
        case .imageRefused: "decoding it would cost too much; see the worker's --max-pixels"
        case .memoryBudgetExceeded: "larger than a worker's whole --memory-budget; give one more"
        case .outputUnwritable: "writing failed five times; disk full, read-only, or something in the way"
        case .timedOut: "decoding took too long; see the worker's --job-timeout"
        case .workerCrashed:
            "workers died while they held the job; killed by the kernel's OOM killer (dmesg | grep -i oom)? then "
                + "lower --memory-budget; else please report the picture"
        case .internal: "a mistake of the worker; please report the message"
        }
    }
}
