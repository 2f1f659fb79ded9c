import JobQueue

/// Failed jobs as examples.
enum FailureExamples {
    /// Failed jobs that are shown with their messages.
    static let most = 5

    /// Examples, one a line.
    static func text(of failures: [JobResult]) -> String {
        let lines = failures.map { failure in
            "  \(failure.source ?? failure.id): \(failure.error?.message ?? "no message")"
        }
        return (["for example"] + lines).joined(separator: "\n")
    }
}
