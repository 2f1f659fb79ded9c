public import CommandLineOptions
internal import Glibc
public import JobQueue
internal import Redis
internal import Threading

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
    // Full until workers have caught up: the same to a script as a queue that is full.
    case .redis(.outOfMemory): .queueFull
    case .redis(let reason): reason.isOutage ? .redisUnreachable : .configuration
    case .unexpectedAnswer, .evicts: .configuration
    }
}

/// Runs a program's tasks while the main thread sleeps, and ends the process with what they return.
///
/// An `async` main would do, but for signals: while it waits, the runtime suspends the main thread with an
/// empty signal mask, and SIGTERM kills the process instead of reaching the thread that waits for it.
public func runToEnd(_ program: @escaping @Sendable () async -> ExitStatus) -> Never {
    let ended = Monitor<ExitStatus?>(nil)
    Task {
        let status = await program()
        ended.update { $0 = status }
    }
    guard let status = ended.wait(until: { $0 }) else {
        preconditionFailure("a wait without a limit ends only with a status")
    }
    exit(status.rawValue)
}
