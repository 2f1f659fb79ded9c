import CLinux
import Glibc
public import Threading

/// A program started by a test: its output is kept, and it is killed when the object goes away.
///
/// `Foundation.Process` passes the test runner's blocked signals on, so that SIGTERM never arrives;
/// this one starts its child with an empty signal mask and default handlers.
public final class ChildProcess: Sendable {
    public enum Exit: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
    }

    public struct CannotStart: Error { public let program: String, code: Int32 }

    public let pid: Int32
    private let folder: TemporaryFolder
    private let exit = Monitor<Exit?>(nil)

    /// Starts `program` (a path, or a name found through PATH). `environment` is added to the test's own.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        workingFolder: String? = nil
    ) throws {
        folder = try TemporaryFolder()
        pid = try Self.spawn(
            program, arguments, environment: environment, workingFolder: workingFolder,
            outputFolder: folder.path)
        // Waiting needs a thread; it ends with the child.
        let (pid, exit) = (pid, exit)
        _ = DedicatedThread(name: "child") {
            var status: Int32 = 0
            while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            let number = status & 0x7f
            exit.update { $0 = number == 0 ? .status((status >> 8) & 0xff) : .signal(number) }
        }
    }

    deinit { send(SIGKILL) }

    /// What the program has written so far.
    public var standardOutput: String { readFile(folder.path + "/stdout") }
    public var standardError: String { readFile(folder.path + "/stderr") }
    public var isRunning: Bool { exit.withLock { $0 == nil } }

    /// Sends a signal; nothing happens once the child has ended.
    public func send(_ signal: Int32) {
        exit.withLock { if $0 == nil { _ = Glibc.kill(pid, signal) } }
    }

    /// Waits for the end; nil when it did not come within `limit`, or the task was cancelled.
    public func wait(atMost limit: Duration = .seconds(30)) async -> Exit? {
        let isCancelled = Monitor(false)
        return await withTaskCancellationHandler {
            await BlockingThreads.forTests.run { [exit] in
                _ = exit.wait(atMost: limit) { exit in
                    exit != nil || isCancelled.withLock { $0 } ? true : nil
                }
                return exit.withLock { $0 }
            }
        } onCancel: {
            isCancelled.update { $0 = true }
            exit.update { _ in }
        }
    }

    private static func spawn(
        _ program: String, _ arguments: [String], environment: [String: String], workingFolder: String?,
        outputFolder: String
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let create = O_WRONLY | O_CREAT | O_TRUNC
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, outputFolder + "/stdout", create, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, outputFolder + "/stderr", create, 0o600)
        if let workingFolder { unsafe linux_spawn_in_folder(&actions, workingFolder) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = environmentOfTest().merging(environment) { $1 }.map { "\($0)=\($1)" }
        var pid: pid_t = 0
        let code = unsafe withCStrings([program] + arguments) { words in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawnp(&pid, program, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else { throw CannotStart(program: program, code: code) }
        return pid
    }

    private static func environmentOfTest() -> [String: String] {
        var variables: [String: String] = [:]
        var next = unsafe environ
        while let line = unsafe next.pointee {
            let parts = unsafe String(cString: line).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe next += 1
        }
        return variables
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(&pointers)
    }
}

extension BlockingThreads {
    /// Where tests block.
    public static let forTests = BlockingThreads(name: "test")
}
