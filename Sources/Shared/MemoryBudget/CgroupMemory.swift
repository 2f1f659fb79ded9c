// Where the kernel keeps the memory limits of this process: cgroups(7), cgroup-v2 and cgroup-v1/memory in
// the kernel's own documents.

/// All files that may hold a limit for this process: those of its own cgroup and of every group around
/// it that is visible, in no particular order. Some may not exist.
func cgroupLimitFiles(readFile: (String) -> String?) -> [String] {
    guard let memberships = readFile("/proc/self/cgroup"), let mounts = readFile("/proc/self/mountinfo")
    else {
        return []
    }
    return mounts.split(separator: "\n").compactMap { CgroupMount(mountinfoLine: $0) }.flatMap { mount in
        memberships.split(separator: "\n")
            .filter { mount.version.governs(membership: $0) }
            .flatMap { mount.directories(ofGroup: $0.path(afterColons: 2)) }
            .flatMap { directory in mount.version.limitFileNames.map { "\(directory)/\($0)" } }
    }
}

private enum CgroupVersion {
    case one, two

    /// v2 also has `memory.high`: beyond it a process is not killed, but slowed to a crawl.
    var limitFileNames: [String] {
        switch self {
        case .one: ["memory.limit_in_bytes"]
        case .two: ["memory.max", "memory.high"]
        }
    }

    /// Whether a line of `/proc/self/cgroup`, `ID:CONTROLLERS:PATH`, is about memory in this version.
    func governs(membership line: Substring) -> Bool {
        let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3 else { return false }
        return switch self {
        case .one: fields[1].split(separator: ",").contains("memory")
        case .two: fields[0] == "0" && fields[1].isEmpty
        }
    }
}

/// A place where a cgroup tree, or a part of it, is visible.
private struct CgroupMount {
    let version: CgroupVersion
    /// The group that the mount point shows; `/` is the whole tree.
    let root: Substring
    let mountPoint: String

    /// Reads a line of `/proc/self/mountinfo`, proc_pid_mountinfo(5):
    /// `36 35 98:0 ROOT MOUNTPOINT OPTIONS … - TYPE SOURCE SUPEROPTIONS`. Nil when it is no memory cgroup.
    init?(mountinfoLine line: Substring) {
        let words = line.split(separator: " ")
        guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
        switch words[dash + 1] {
        case "cgroup2": version = .two
        case "cgroup" where words[dash + 3].split(separator: ",").contains("memory"): version = .one
        default: return nil
        }
        root = words[3]
        mountPoint = unescaped(words[4])
    }

    /// The directories of a group and of all groups around it that the mount shows. A group outside what
    /// is mounted, as in a container without a cgroup namespace of its own, leaves the mount point itself.
    func directories(ofGroup path: Substring) -> [String] {
        let shown = root.split(separator: "/")
        let group = path.split(separator: "/")
        guard group.starts(with: shown), !group.contains("..") else { return [mountPoint] }
        let below = group.dropFirst(shown.count)
        return (0...below.count).map { depth in
            ([mountPoint] + below.prefix(depth).map(String.init)).joined(separator: "/")
        }
    }
}

/// The kernel writes space, tab, newline and backslash in a path as `\040` and the like.
private func unescaped(_ path: Substring) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
    return escapes.reduce(String(path)) { text, escape in
        text.split(separator: escape.0, omittingEmptySubsequences: false).joined(separator: escape.1)
    }
}

extension Substring {
    /// What follows the first `count` colons; empty when there are fewer.
    fileprivate func path(afterColons count: Int) -> Substring {
        let fields = split(separator: ":", maxSplits: count, omittingEmptySubsequences: false)
        return fields.count > count ? fields[count] : ""
    }
}
