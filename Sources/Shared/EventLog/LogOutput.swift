internal import Glibc
internal import Synchronization
internal import Units

/// Puts whole lines on a descriptor and never waits for whoever reads it.
///
/// A line that a full pipe does not take at once is kept and goes out before the next one; when too much
/// is kept, lines are dropped and counted. Setting O_NONBLOCK would be simpler, but standard error is
/// shared with other processes, and they would get it too. A thread that writes would lose the last lines
/// of a process that crashes.
final class LogOutput: Sendable {
    /// What may wait for a reader: some thousand lines, a small part of the memory beside the budget.
    static let mostWaiting = 256 << 10

    let isTerminal: Bool
    private let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Writes or keeps a line of at most `LogLine.longest` bytes. Answers how many lines were dropped in
    /// the past, once, when it works again.
    func write(_ line: [UInt8]) -> Int {
        state.withLock { state in
            send(&state.waiting, patience: .zero)
            guard state.waiting.count + line.count <= Self.mostWaiting else {
                state.dropped += 1
                return 0
            }
            state.waiting += line
            send(&state.waiting, patience: .zero)
            guard state.waiting.isEmpty else { return 0 }
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Answers whether everything is out.
    func flush(within limit: Duration) -> Bool {
        state.withLock { state in
            send(&state.waiting, patience: limit)
            return state.waiting.isEmpty
        }
    }

    /// Writes until `bytes` is empty or the descriptor takes nothing for longer than `patience`.
    private func send(_ bytes: inout [UInt8], patience: Duration) {
        let deadline = ContinuousClock.now + patience
        var sent = 0
        defer { bytes.removeFirst(sent) }
        while sent < bytes.count {
            switch readiness(until: deadline) {
            case .full: return
            case .closed: sent = bytes.count
            case .ready:
                // A pipe that is ready takes PIPE_BUF bytes without waiting, and in one piece.
                let piece = lengthOfWholeLines(in: bytes, from: sent)
                let count = unsafe bytes.withUnsafeBufferPointer { buffer in
                    unsafe Glibc.write(
                        descriptor, UnsafeBufferPointer(rebasing: buffer[sent...]).baseAddress, piece)
                }
                switch count {
                case 0...: sent += count
                case _ where errno == EINTR: continue
                case _ where errno == EAGAIN: return
                // A disk that is full or a terminal that went away: there is nobody to tell.
                default: sent = bytes.count
                }
            }
        }
    }

    /// As many bytes as make up whole lines and fit into one piece.
    private func lengthOfWholeLines(in bytes: [UInt8], from start: Int) -> Int {
        let window = bytes[start..<min(bytes.count, start + LogLine.longest)]
        return window.lastIndex(of: UInt8(ascii: "\n")).map { $0 - start + 1 } ?? window.count
    }

    private enum Readiness {
        case ready, full, closed
    }

    private func readiness(until deadline: ContinuousClock.Instant) -> Readiness {
        while true {
            let milliseconds = Int32(clamping: max(.zero, deadline - .now).wholeMilliseconds)
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let answer = unsafe poll(&request, 1, milliseconds)
            if answer < 0, errno == EINTR { continue }
            guard answer > 0 else { return answer == 0 ? .full : .closed }
            // Writing to a pipe without reader would raise SIGPIPE.
            let failed = Int32(request.revents) & (POLLERR | POLLNVAL) != 0
            return failed ? .closed : .ready
        }
    }
}
