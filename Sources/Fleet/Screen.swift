import Glibc
import Synchronization
import Threading

/// The whole terminal, taken for drawing and given back as it was.
///
/// Keys arrive one by one and unseen while it is taken. Ctrl-C is a key then, too: a signal could end the
/// process before the terminal is restored.
@safe
final class Screen: Sendable {
    private let console: Console
    private let before: Mutex<termios?>

    init(_ console: Console) {
        self.console = console
        var attributes = termios()
        let isInput = isatty(STDIN_FILENO) == 1
        let isKnown = unsafe isInput && tcgetattr(STDIN_FILENO, &attributes) == 0
        before = Mutex(isKnown ? attributes : nil)
        if isKnown {
            attributes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
        }
        // The alternate screen, without a cursor.
        console.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
    }

    /// Calls when q, Ctrl-C, Ctrl-D or Escape is pressed, on a thread that lives as long as the process.
    func onQuit(_ quit: @escaping @Sendable () -> Void) {
        guard before.withLock({ $0 != nil }) else { return }
        _ = DedicatedThread(name: "keys") {
            var key: UInt8 = 0
            while true {
                let count = unsafe read(STDIN_FILENO, &key, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1, ![UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4, 27].contains(key) else {
                    break
                }
            }
            quit()
        }
    }

    /// Shows these lines, cut to the screen.
    func draw(_ lines: [String]) {
        let size = Console.size()
        var frame = "\u{1B}[H"
        for line in lines.prefix(size.lines - 1) {
            frame += Self.cut(line, to: size.columns) + "\u{1B}[K\r\n"
        }
        console.write(Array((frame + "\u{1B}[J").utf8))
    }

    /// Gives the terminal back.
    func close() {
        console.write(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
        guard var attributes = before.withLock({ $0.take() }) else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
    }

    /// The first `width` signs; colours take no room.
    static func cut(_ line: String, to width: Int) -> String {
        var shown = ""
        var room = width
        var isColour = false
        for sign in line {
            if sign == "\u{1B}" { isColour = true }
            if !isColour {
                if room == 0 { continue }
                room -= 1
            }
            shown.append(sign)
            if isColour, sign == "m" { isColour = false }
        }
        return shown
    }
}
