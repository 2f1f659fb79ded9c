public import CommandLineOptions
internal import Glibc
public import JobQueue
internal import Redis

/// Ends the program with `text` on standard output.
public func end(_ status: ExitStatus, printing text: String) -> Never {
    print(text, terminator: "")
    exit(status.rawValue)
}

/// Ends the program with `complaint` on standard error.
public func end(_ status: ExitStatus, complaining complaint: String) -> Never {
    writeToStandardError(complaint)
    exit(status.rawValue)
}

/// How a program ends that cannot use its queue.
public func exitStatus(for error: QueueError) -> ExitStatus {
    switch error {
    case .redis(let reason): reason.isOutage ? .redisUnreachable : .configuration
    case .unexpectedAnswer, .evicts: .configuration
    }
}
