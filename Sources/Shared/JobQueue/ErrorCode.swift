/// Why a job failed, as published. The set is part of the contract with producers.
public enum ErrorCode: String, Sendable, Codable, CaseIterable {
    case invalidJob = "invalid_job"
    case targetTooSmall = "target_too_small"
    case sourceNotFound = "source_not_found"
    case sourceForbidden = "source_forbidden"
    case sourceUnreadable = "source_unreadable"
    case notAnImage = "not_an_image"
    case unsupportedFormat = "unsupported_format"
    case damagedImage = "damaged_image"
    case truncatedImage = "truncated_image"
    case imageRefused = "image_refused"
    case memoryBudgetExceeded = "memory_budget_exceeded"
    case outputUnwritable = "output_unwritable"
    case timedOut = "timed_out"
    case workerCrashed = "worker_crashed"
    case `internal` = "internal"

    /// Another attempt may succeed.
    public var isRetryable: Bool {
        switch self {
        case .sourceUnreadable, .outputUnwritable, .internal: true
        case .invalidJob, .targetTooSmall, .sourceNotFound, .sourceForbidden, .notAnImage, .unsupportedFormat,
            .damagedImage, .truncatedImage, .imageRefused, .memoryBudgetExceeded, .timedOut, .workerCrashed:
            false
        }
    }
}
