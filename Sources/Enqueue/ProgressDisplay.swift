import CommandLineOptions
import Glibc
import Synchronization
import Units

/// Shows progress on standard error: a bar drawn over itself on a terminal, a line now and then elsewhere.
final class ProgressDisplay: Sendable {
    /// Between two lines where there is no terminal.
    private static let linePace = Duration.seconds(5)
    private static let usualWidth = 80

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isDrawn = Atomic(false)
    private let hasToldOfFull = Atomic(false)
    private let last = Mutex<(at: ContinuousClock.Instant?, progress: Progress?)>((nil, nil))

    /// How many jobs are pushed so far; on a terminal only, where the walk may take minutes.
    func show(pushed: Int) {
        drawLine("enqueued \(pushed) …")
    }

    /// The queue is full, and the rest is pushed when there is room; told once where there is no terminal.
    func showFull(waiting: Int, pushed: Int) {
        drawLine("enqueued \(pushed), waiting for room: \(count(waiting, "job")) wait …")
        if !isTerminal, !hasToldOfFull.exchange(true, ordering: .relaxed) {
            complain(
                "the queue is full: \(count(waiting, "job")) wait; pushing the rest as workers take jobs")
        }
    }

    func show(_ progress: Progress, _ rate: ProgressRate) {
        if isTerminal {
            drawLine(ProgressText.bar(progress, rate, width: Self.width() - 1))
            return
        }
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            let isFirst = last.at == nil
            let isNews = last.progress != progress
            let isTime = last.at.map { now - $0 >= Self.linePace } ?? true
            guard isNews, isTime || progress.isComplete else { return false }
            last = (now, progress)
            // What was done before anyone looked says nothing.
            return !isFirst || progress.settled > 0
        }
        if isDue { complain(ProgressText.line(progress, rate)) }
    }

    /// A sentence in place of what is drawn, which the next drawing follows.
    func interrupt(_ text: String) {
        clear()
        complain(text)
    }

    /// Takes away what is drawn.
    func clear() {
        if isTerminal, isDrawn.exchange(false, ordering: .relaxed) { draw("\r\u{1B}[K") }
    }

    /// Leaves what is drawn as it is and goes on below.
    func close() {
        if isTerminal, isDrawn.exchange(false, ordering: .relaxed) { draw("\n") }
    }

    private func drawLine(_ text: String) {
        guard isTerminal else { return }
        isDrawn.store(true, ordering: .relaxed)
        draw("\r\(text)\u{1B}[K")
    }

    private func draw(_ text: String) {
        let bytes = Array(text.utf8)
        // A bar that nobody can see is not worth an error.
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func width() -> Int {
        var size = winsize()
        let status = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : usualWidth
    }
}
