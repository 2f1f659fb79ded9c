import FoundationEssentials
import Glibc

/// A folder seen through a file system of its own, which answers late: the kernel waits for it as for a network
/// share, and not only in calls that a preloaded library stands in for.
public final class SlowFolder: Sendable {
    public struct NotMounted: Error { public let log: String }

    private let place: String
    private let server: ChildProcess

    /// Root, the kernel's FUSE and Debian's python3-fusepy are there; a container may have no right to mount.
    public static var canBeMade: Bool {
        get async {
            do {
                let folder = try TemporaryFolder()
                let place = folder.path + "/slow"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
                _ = try await SlowFolder(of: folder.path, at: place, delay: .zero)
                return true
            } catch {
                return false
            }
        }
    }

    /// Shows `folder` at `place`, an empty folder. Opening a file and each read of one take `delay`, any
    /// number of them at a time.
    public init(of folder: String, at place: String, delay: Duration) async throws {
        self.place = place
        let script =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/") + "/slow_files.py"
        server = try ChildProcess(
            "/usr/bin/python3", [script, folder, place, "\(delay / .seconds(1))"])
        while !server.standardOutput.contains("mounted") {
            guard server.isRunning else { throw NotMounted(log: server.standardError) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// From here on nothing answers, as when the server of a network share is gone.
    public func hang() async throws {
        server.send(SIGSTOP)
        // A thread of it may have a question already, until it is stopped, too.
        let tasks = "/proc/\(server.pid)/task"
        while try FileManager.default.contentsOfDirectory(atPath: tasks).contains(where: {
            !readFile("\(tasks)/\($0)/stat").contains(") T ")
        }) { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// All that was asked meanwhile is answered.
    public func answer() { server.send(SIGCONT) }

    /// Also while files are open in it: they are then gone when they are closed, and the server with them.
    deinit {
        answer()
        unsafe umount2(place, Int32(MNT_DETACH))
    }
}
