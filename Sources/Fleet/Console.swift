import CommandLineOptions
import Glibc
import ProgramOptions
import Synchronization
import Threading

/// Where a command answers: lines on standard output, complaints on standard error, colours on a terminal.
final class Console: Sendable {
    enum Readers { case people, json }

    /// Standard output is a terminal.
    let isTerminal: Bool
    /// Somebody can answer a question.
    let canAsk: Bool
    let palette: Palette
    private let output = Mutex(())

    init(_ readers: Readers, environment: [String: String]) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        canAsk = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        let refuses = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        palette = Palette(isOn: readers == .people && isTerminal && !refuses)
    }

    /// One or more lines. A reader that has gone away ends the program, as it ends any filter.
    func say(_ text: String) { write(Array((text + "\n").utf8)) }

    /// Bytes as they are.
    func write(_ bytes: [UInt8]) {
        output.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBufferPointer { buffer in
                    unsafe Glibc.write(STDOUT_FILENO, buffer.baseAddress, buffer.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { exit(ExitStatus.done.rawValue) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// A line on standard error.
    func complain(_ text: String) { writeToStandardError("\(ProgramNames.fleet): \(text)") }

    /// Waits until nothing is half written.
    func close() { output.withLock { _ in } }

    /// Asks on standard error and reads a line; anything but yes is no. Blocks a thread of its own.
    func confirms(_ question: String) async -> Bool {
        let text = Array("\(question) [y/N] ".utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, text, text.count)
        let answer = await BlockingThreads(name: "question").run { readLine() }
        return ["y", "yes"].contains(answer?.lowercased() ?? "")
    }

    /// Columns and lines of the terminal.
    static func size() -> (columns: Int, lines: Int) {
        var size = winsize()
        let status = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
        guard status == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// Colours, or none.
struct Palette: Sendable {
    enum Style: String { case bold = "1", dim = "2", red = "31", green = "32", yellow = "33" }

    let isOn: Bool

    func paint(_ text: String, _ style: Style) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
