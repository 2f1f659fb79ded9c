import CommandLineOptions
import Files
import JobQueue
import ProgramOptions

/// Why a run ends before its end.
enum EnqueueError: Error {
    case queue(QueueError)
    /// The list, or a directory, cannot be read any more.
    case file(FileError)
    /// Redis counts fewer jobs in the batch than were pushed into it.
    case batchLost(known: Int, pushed: Int)

    var exitStatus: ExitStatus {
        switch self {
        case .queue(let error): ProgramOptions.exitStatus(for: error)
        case .file: .configuration
        case .batchLost: .redisUnreachable
        }
    }
}

extension EnqueueError: CustomStringConvertible {
    var description: String {
        switch self {
        case .queue(let error): error.description
        case .file(let error): error.description
        case .batchLost(let known, let pushed):
            "Redis knows of \(count(known, "job")) of this batch where \(pushed) were enqueued: it restarted "
                + "without its data, or somebody deleted it"
        }
    }
}
