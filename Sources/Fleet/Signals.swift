import CommandLineOptions
import Glibc
import Synchronization
import Threading

/// Ctrl-C and its like: end the program at once, unless a command has something to bring to an end. A second
/// one always does.
final class Signals: Sendable {
    private let handler = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ signals: ProcessSignals) {
        Task { [self] in
            for await _ in signals.received {
                guard let handler = handler.withLock({ $0.take() }) else {
                    exit(ExitStatus.interrupted.rawValue)
                }
                handler()
            }
        }
    }

    /// What the next signal does; nil for the usual.
    func onNext(_ action: (@Sendable () -> Void)?) { handler.withLock { $0 = action } }
}
