import Glibc

/// The signals that end a process or make it look again, received on a thread and handed on as a stream.
///
/// Make one as the first statement of `main`, before any thread exists: masks are inherited, and one
/// thread that leaves a signal open lets it kill the process.
public final class ProcessSignals: Sendable {
    public enum Signal: Int32, Sendable, CaseIterable {
        case terminate = 15
        case interrupt = 2
        case hangUp = 1
    }

    /// Each signal as it arrives. One consumer. Two of the same that arrive together may count as one.
    public let received: AsyncStream<Signal>
    let thread: DedicatedThread

    /// Blocks the signals on the calling thread and starts the one that waits for them. That thread
    /// lives as long as the process.
    public init() {
        Self.holdBack()
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        received = stream
        let waited = Self.set
        thread = DedicatedThread(name: "signals") {
            while true {
                var number: Int32 = 0
                var set = waited
                guard unsafe sigwait(&set, &number) == 0 else { continue }
                if let signal = Signal(rawValue: number) { continuation.yield(signal) }
            }
        }
    }

    /// Blocks the signals on the calling thread: whoever makes a `ProcessSignals` later hears of those that came
    /// before. For what has to be done while there is no second thread.
    public static func holdBack() {
        ignoreBrokenPipes()
        var set = set
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in Signal.allCases { unsafe sigaddset(&set, signal.rawValue) }
        return set
    }
}

/// Makes a write to a closed pipe or socket an error code instead of the end of the process.
/// Calling it again changes nothing.
public func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}
