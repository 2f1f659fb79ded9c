internal import CLinux
internal import Glibc

/// The half of a fence that knows files, ports and signals. What is not allowed is denied, as far as the
/// kernel's version of Landlock can tell it apart.
struct Landlock {
    /// 0 for none; what comes with which version stands at the rights below.
    let version: Int

    init(version: Int) {
        self.version = version
    }

    /// - Returns: what holds from now on.
    func enforce(_ needs: Needs) throws(SystemError) -> [Fence.Part] {
        guard version > 0 else { throw .tooOld }
        var portRights = PortRights.known(to: version)
        if needs.ports == nil { portRights.remove(.connect) }
        let rules = linux_landlock_rules(
            FileRights.known(to: version).rawValue, portRights.rawValue,
            Scopes.known(to: version).rawValue)
        guard rules >= 0 else { throw .last }
        defer { close(rules) }
        for path in needs.readable { try allow(.reading, at: path, in: rules) }
        for path in needs.system { try allow(.readFile, at: path, in: rules) }
        for path in needs.writable { try allow(.writing, at: path, in: rules) }
        if let ports = needs.ports, !portRights.isEmpty {
            for port in ports {
                guard linux_landlock_allow_port(rules, port, PortRights.connect.rawValue) == 0 else {
                    throw .last
                }
            }
        }
        guard linux_landlock_enforce(rules) == 0 else { throw .last }
        var parts: [Fence.Part] = [.files]
        if portRights.contains(.connect) { parts.append(.ports) }
        if !Scopes.known(to: version).isEmpty { parts.append(.signals) }
        return parts
    }

    private func allow(_ rights: FileRights, at path: String, in rules: Int32) throws(SystemError) {
        // Never closed: a rule belongs to an inode, and /proc makes a new one for a name that nobody holds.
        let place = unsafe open(path, linux_O_PATH | O_CLOEXEC)
        guard place >= 0 else {
            if errno == ENOENT || errno == EACCES { return }
            throw .last
        }
        var status = stat()
        guard unsafe fstat(place, &status) == 0 else { throw .last }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        // A file can be given only what files have.
        let possible = FileRights.known(to: version).intersection(isDirectory ? .all : .ofFiles)
        let given = rights.intersection(possible)
        guard linux_landlock_allow_beneath(rules, place, given.rawValue) == 0 else { throw .last }
    }
}

/// Bits of `LANDLOCK_ACCESS_FS_`.
struct FileRights: OptionSet {
    let rawValue: UInt64

    static let execute = Self(bit: 0)
    static let writeFile = Self(bit: 1)
    static let readFile = Self(bit: 2)
    static let readDirectory = Self(bit: 3)
    static let removeDirectory = Self(bit: 4)
    static let removeFile = Self(bit: 5)
    static let makeDirectory = Self(bit: 7)
    static let makeFile = Self(bit: 8)
    static let truncate = Self(bit: 14)
    static let deviceControl = Self(bit: 15)

    static let all = Self(rawValue: .max)
    static let ofFiles: Self = [.execute, .writeFile, .readFile, .truncate, .deviceControl]

    static let reading: Self = [.readFile, .readDirectory]
    /// Reading directories is for the sweep of stray files, removing them so that a directory in the place of a
    /// thumbnail is told as what it is. Written files are not read again.
    static let writing: Self = [
        .writeFile, .readDirectory, .makeDirectory, .makeFile, .removeFile, .removeDirectory,
    ]

    /// The first 13 came with Landlock, moving between directories with version 2, truncating with 3, control
    /// of devices with 5.
    static func known(to version: Int) -> Self {
        let bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : version == 1 ? 13 : 0
        return Self(rawValue: (1 << bits) - 1)
    }
}

/// Bits of `LANDLOCK_ACCESS_NET_`.
struct PortRights: OptionSet {
    let rawValue: UInt64

    static let bind = Self(bit: 0)
    static let connect = Self(bit: 1)

    static func known(to version: Int) -> Self { version >= 4 ? [.bind, .connect] : [] }
}

/// Bits of `LANDLOCK_SCOPE_`: what stays inside.
struct Scopes: OptionSet {
    let rawValue: UInt64

    static let abstractSockets = Self(bit: 0)
    static let signals = Self(bit: 1)

    static func known(to version: Int) -> Self { version >= 6 ? [.abstractSockets, .signals] : [] }
}

extension OptionSet where RawValue == UInt64 {
    fileprivate init(bit: Int) { self.init(rawValue: 1 << bit) }
}
