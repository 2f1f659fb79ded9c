internal import Glibc

/// One name in a directory.
public struct DirectoryEntry: Equatable, Sendable {
    /// The bytes of the name: Linux does not promise text.
    public let nameBytes: [UInt8]
    /// Of the entry itself: a symbolic link is a symbolic link.
    public let kind: FileKind

    /// The name as text; nil when it is no UTF-8, and so cannot be part of a job.
    public var name: String? { String(validating: nameBytes, as: UTF8.self) }
}

/// A directory, open for looking at what it holds. Never follows symbolic links.
public struct OpenDirectory: ~Copyable, Sendable {
    /// As it was opened; for messages.
    public let path: String
    let descriptor: Descriptor

    /// Opens a directory by its path; here links are followed.
    public init(_ path: String) throws(FileError) {
        _ = try PathText(path)
        do throws(SystemError) {
            descriptor = try Descriptor.opening {
                unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
        } catch {
            throw .directoryUnusable(path, error)
        }
        self.path = path
    }

    init(_ name: [UInt8], in parent: borrowing Descriptor, path: String) throws(FileError) {
        let number = parent.number
        let terminated = name.map(CChar.init(bitPattern:)) + [0]
        do throws(SystemError) {
            descriptor = try Descriptor.opening {
                unsafe openat(number, terminated, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
        } catch {
            throw .directoryUnusable(path, error)
        }
        self.path = path
    }

    /// Opens a directory in this one; a symbolic link is refused.
    public func directory(_ entry: DirectoryEntry) throws(FileError) -> OpenDirectory {
        let name = String(decoding: entry.nameBytes, as: UTF8.self)
        return try OpenDirectory(entry.nameBytes, in: descriptor, path: "\(path)/\(name)")
    }

    /// All entries but `.` and `..`, in ascending order of their bytes: the same on every machine.
    public func entries() throws(FileError) -> [DirectoryEntry] {
        do throws(SystemError) {
            return try unsortedEntries().sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }
        } catch {
            throw .directoryUnusable(path, error)
        }
    }

    private func unsortedEntries() throws(SystemError) -> [DirectoryEntry] {
        // The stream takes over a descriptor of its own and closes it with itself.
        let number = unsafe openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        guard let stream = unsafe fdopendir(number) else {
            let error = SystemError.last
            close(number)
            throw error
        }
        defer { unsafe closedir(stream) }
        var entries: [DirectoryEntry] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw .last }
                return entries
            }
            let name = unsafe nameBytes(of: entry)
            guard name != [UInt8(ascii: ".")], name != [UInt8](repeating: UInt8(ascii: "."), count: 2) else {
                continue
            }
            let kind = unsafe FileKind(mode: mode_t(entry.pointee.d_type) << 12)
            entries.append(
                DirectoryEntry(nameBytes: name, kind: kind == .unknown ? statusKind(of: name) : kind))
        }
    }

    /// Asks for the kind where the file system does not tell it with the name. A file that went away
    /// meanwhile stays of unknown kind.
    private func statusKind(of name: [UInt8]) -> FileKind {
        var status = stat()
        let terminated = name.map(CChar.init(bitPattern:)) + [0]
        let found = unsafe fstatat(descriptor.number, terminated, &status, AT_SYMLINK_NOFOLLOW)
        return found == 0 ? FileKind(mode: status.st_mode) : .unknown
    }
}

/// The name's bytes, without the closing zero.
private func nameBytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
}
