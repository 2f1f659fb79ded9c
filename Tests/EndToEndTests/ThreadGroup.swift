import Glibc
import TestSupport

/// A group of processes with a limit of threads, as services have it by TasksMax. Beyond it the kernel gives none.
final class ThreadGroup: Sendable {
    private let folder: String

    /// Nil where such groups cannot be made: without root, or where version 2 hands no limit to groups below.
    init?() {
        let (first, second) = ("/sys/fs/cgroup/pids", "/sys/fs/cgroup")
        let isVersion2 = unsafe access(second + "/cgroup.controllers", F_OK) == 0
        folder = (isVersion2 ? second : first) + "/thumbnail-test-threads-\(getpid())"
        guard unsafe mkdir(folder, 0o755) == 0 else { return nil }
        guard limit(to: nil) else {
            unsafe rmdir(folder)
            return nil
        }
    }

    deinit { unsafe rmdir(folder) }

    /// Words before a command that start it inside of the group.
    var host: [String] { ["/bin/sh", "-c", "echo $$ > \(folder)/cgroup.procs && exec \"$@\"", "sh"] }

    /// Threads in the group now.
    var threads: Int {
        let text = String(decoding: Fixture.contents(of: folder + "/pids.current") ?? [], as: UTF8.self)
        return Int(text.filter(\.isNumber)) ?? 0
    }

    /// From now on no more than so many, nil: as many as the machine has; those that there are stay.
    @discardableResult
    func limit(to threads: Int?) -> Bool {
        let text = threads.map { "\($0)" } ?? "max"
        let descriptor = unsafe open(folder + "/pids.max", O_WRONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return unsafe write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}
