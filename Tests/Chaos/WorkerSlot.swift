import Glibc
import Synchronization
import TestSupport

/// A place for a worker, where a new one starts when the old one has ended: what systemd does.
final class WorkerSlot: Sendable {
    /// The program and its arguments.
    struct Command: Sendable {
        let program: String
        let arguments: [String]
        let environment: [String: String]
    }

    private struct State {
        var process: ChildProcess?
        /// Ends that this run has asked for, or that are no fault.
        var expected: Set<Int32> = []
        var pause = Duration.zero
        var isOver = false
        var ends = Ends()
    }

    /// How this slot's workers ended.
    struct Ends: Sendable {
        var started = 0
        var killed = 0
        var left = 0
        var trapped = 0
        /// Ended as nobody asked them to, with the end of their log.
        var unexpected: [String] = []
    }

    let number: Int
    private let command: Command
    private let state = Mutex(State())
    /// Called with each worker's whole log.
    private let keepLog: @Sendable (String) -> Void

    init(_ number: Int, _ command: Command, keepLog: @escaping @Sendable (String) -> Void) {
        self.number = number
        self.command = command
        self.keepLog = keepLog
    }

    var ends: Ends { state.withLock { $0.ends } }

    /// Keeps a worker running until `close`.
    func run() async throws {
        while !state.withLock({ $0.isOver }) {
            let process = try ChildProcess(
                command.program, command.arguments, environment: command.environment)
            let isOver = state.withLock { state in
                state.process = process
                state.expected = []
                state.ends.started += 1
                return state.isOver
            }
            // Closed between the look above and now.
            if isOver { process.send(SIGTERM) }
            var exit: ChildProcess.Exit?
            while exit == nil {
                // The run has failed: what is left ends with this object.
                if Task.isCancelled { return }
                exit = await process.wait()
            }
            keepLog(process.standardError)
            let pause = note(exit, of: process)
            do { try await Task.sleep(for: pause) } catch { return }
        }
    }

    /// Redis could not be reached for the first ten seconds.
    private static let redisUnreachable: Int32 = 69
    /// A failpoint's trap.
    private static let traps = [SIGILL, SIGTRAP, SIGABRT]

    private func note(_ exit: ChildProcess.Exit?, of process: ChildProcess) -> Duration {
        state.withLock { state in
            state.process = nil
            switch exit {
            case .signal(SIGKILL) where state.expected.contains(SIGKILL): state.ends.killed += 1
            case .signal(let signal) where Self.traps.contains(signal): state.ends.trapped += 1
            case .status(0) where state.expected.contains(SIGTERM) || state.isOver: state.ends.left += 1
            case .status(Self.redisUnreachable): state.ends.left += 1
            default:
                let log = process.standardError.split(separator: "\n").suffix(5).joined(separator: "\n")
                state.ends.unexpected.append("worker \(number): \(String(describing: exit))\n\(log)")
            }
            defer { state.pause = .zero }
            return state.pause
        }
    }

    /// - Parameter pause: until the next one starts.
    func kill(pause: Duration) { send(SIGKILL, pause: pause) }
    func stop() { send(SIGTERM) }
    func freeze() { send(SIGSTOP) }
    func thaw() { send(SIGCONT) }

    /// Tells the last worker to leave; `run` ends with it.
    func close() {
        state.withLock { $0.isOver = true }
        thaw()
        stop()
    }

    private func send(_ signal: Int32, pause: Duration = .zero) {
        state.withLock { state in
            guard let process = state.process else { return }
            state.expected.insert(signal)
            if signal == SIGKILL { state.pause = pause }
            process.send(signal)
        }
    }
}
