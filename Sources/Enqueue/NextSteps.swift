import JobQueue
import ProgramOptions
import Redis

/// What a person can do next, as sentences and as commands to be copied.
struct NextSteps {
    private let request: EnqueueRequest

    init(_ request: EnqueueRequest) { self.request = request }

    /// Shows how far the batch is.
    var seeBatch: String {
        shellLine([ProgramNames.fleet, "batch", request.batch] + place)
    }

    /// Starts a worker that understands these jobs.
    var startWorker: String {
        var words = [ProgramNames.worker]
        for root in roots { words += ["--source-root", root] }
        return shellLine(words + ["--output", "thumbs"] + place)
    }

    /// Ends a pause.
    var resume: String { shellLine([ProgramNames.fleet, "resume"] + place) }

    /// The queue, for another program of the fleet.
    private var place: [String] {
        var words: [String] = []
        if request.queue != QueueKeys.defaultName { words += ["--queue", request.queue] }
        return words + ConnectionOptions.words(for: request.redis)
    }

    /// Nil where the error itself says it all.
    func advice(for error: EnqueueError) -> String? {
        switch error {
        case .file: nil
        case .batchLost: "enqueue the pictures again; thumbnails that exist already are replaced"
        case .queue(let error): advice(for: error)
        }
    }

    private func advice(for error: QueueError) -> String? {
        if case .redis(.outOfMemory) = error {
            return "Redis is full; enqueue the rest when workers have caught up"
        }
        return RedisAdvice(redis: request.redis, queue: request.queue, permissions: Self.permissions)
            .advice(for: error)
    }

    /// What an access list has to allow.
    private static let permissions = "+@read +@write +@scripting +@connection +time"

    /// Directories under which a worker on this machine finds the sources.
    private var roots: [String] {
        switch (request.relativeTo, request.source) {
        case (let base?, _): [base]
        case (nil, .directories(let directories)): directories
        case (nil, .list): ["DIR"]
        }
    }
}
