import Glibc
import TestSupport

/// A group of processes with a limit of memory and no swap, as containers are: beyond it the kernel kills.
final class MemoryGroup: Sendable {
    private let folder: String
    private let isVersion2: Bool

    /// Nil where such groups cannot be made: without root, on a read-only file system of groups, or where version 2
    /// hands no memory to groups below.
    init?(limit: Int) {
        let (first, second) = ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")
        isVersion2 = unsafe access(second + "/cgroup.controllers", F_OK) == 0
        folder = (isVersion2 ? second : first) + "/thumbnail-test-\(getpid())-\(limit)"
        guard unsafe mkdir(folder, 0o755) == 0 else { return nil }
        // Swap first: where there is none, there is no such file.
        _ = write("0", to: isVersion2 ? "memory.swap.max" : "memory.swappiness")
        guard write("\(limit)", to: isVersion2 ? "memory.max" : "memory.limit_in_bytes") else {
            unsafe rmdir(folder)
            return nil
        }
    }

    deinit { unsafe rmdir(folder) }

    /// Words before a command that start it inside of the group.
    var host: [String] { ["/bin/sh", "-c", "echo $$ > \(folder)/cgroup.procs && exec \"$@\"", "sh"] }

    /// Processes that the kernel killed for want of memory; nil when it does not say.
    var kills: Int? {
        let file = isVersion2 ? "/memory.events" : "/memory.oom_control"
        let text = String(decoding: Fixture.contents(of: folder + file) ?? [], as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
        return line.flatMap { Int($0.dropFirst("oom_kill ".count)) }
    }

    private func write(_ text: String, to file: String) -> Bool {
        let descriptor = unsafe open(folder + "/" + file, O_WRONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}
