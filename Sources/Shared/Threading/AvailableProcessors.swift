import CLinux
import Glibc

/// Processors that this process may use: its affinity mask, cut to the CPU quota of its control
/// groups (rounded up), at least 1.
///
/// Containers limit by quota, not by mask: without the cut, a pod of 2 CPUs on a host of 64 would
/// decode on 64 threads and be throttled.
public func availableProcessors() -> Int {
    let mask = Int(linux_processors_in_affinity_mask())
    let allowed = mask > 0 ? mask : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let quota = controlGroupFolders(ofProcess: readSmallFile("/proc/self/cgroup"))
        .compactMap { processors(inQuota: readSmallFile($0 + "/cpu.max")) }
        .min()
    return max(1, min(allowed, quota ?? allowed))
}

/// Folders of the process' own group and of each parent: a quota on any of them binds.
/// `text` is /proc/self/cgroup; only version 2 (`0::/path`) is read.
func controlGroupFolders(ofProcess text: String) -> [String] {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return [] }
    var folders: [String] = []
    var names = line.dropFirst("0::/".count).split(separator: "/")
    while true {
        folders.append((["/sys/fs/cgroup"] + names.map(String.init)).joined(separator: "/"))
        if names.popLast() == nil { return folders }
    }
}

/// Whole processors, rounded up, in the text of a `cpu.max` ("150000 100000"); nil when unlimited.
func processors(inQuota text: String) -> Int? {
    let fields = text.split(whereSeparator: \.isWhitespace)
    guard fields.count == 2, let quota = Int(fields[0]), let period = Int(fields[1]), quota > 0, period > 0
    else { return nil }
    return quota / period + (quota % period == 0 ? 0 : 1)
}

/// Text of a kernel file of at most 4 KiB; empty when there is none.
private func readSmallFile(_ path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}
