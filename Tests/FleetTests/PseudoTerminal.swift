import Glibc
import Synchronization
import TestSupport

/// A terminal that a test types on and reads from.
final class PseudoTerminal: Sendable {
    struct CannotMake: Error {}

    private let master: Int32
    /// The path that a program opens as its terminal.
    let path: String
    private let seen = Mutex<[UInt8]>([])

    init() throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN, macros that Swift does not see: unlock, and which one it is.
        var locked: Int32 = 0
        var number: Int32 = 0
        let isUnlocked = unsafe ioctl(master, 0x4004_5431, &locked) == 0
        guard master >= 0, isUnlocked, unsafe ioctl(master, 0x8004_5430, &number) == 0 else {
            throw CannotMake()
        }
        path = "/dev/pts/\(number)"
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        var size = winsize(ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    deinit { close(master) }

    /// The built program with this terminal as its input and both outputs.
    func fleet(_ arguments: [String], environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            "sh",
            ["-c", #"exec "$0" "$@" <\#(path) >\#(path) 2>\#(path)"#, BuiltProgram.path("fleet")] + arguments,
            environment: environment)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        let count = unsafe write(master, bytes, bytes.count)
        precondition(count == bytes.count, "a terminal takes a word")
    }

    /// Everything that was shown until now.
    var shown: String {
        seen.withLock { seen in
            var block = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe read(master, &block, block.count)
                guard count > 0 else { return String(decoding: seen, as: UTF8.self) }
                seen += block.prefix(count)
            }
        }
    }

    /// Lines are edited and keys are echoed, as a shell needs it.
    var isRestored: Bool {
        var attributes = termios()
        let status = unsafe tcgetattr(master, &attributes)
        return status == 0
            && attributes.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG)
    }
}
