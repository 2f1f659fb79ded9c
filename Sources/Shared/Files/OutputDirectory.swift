internal import CLinux
internal import Failpoints
internal import Glibc
public import Units

/// The directory beneath which thumbnails are written, each whole or not at all.
public final class OutputDirectory: Sendable {
    /// Who writes here; part of the names of unfinished files.
    public let workerTag: String

    /// As an absolute path without symbolic links.
    public var directory: String { root.canonicalPath }

    /// Whether its path still leads to it: not when it was renamed or removed, nor when it was unmounted or something
    /// was mounted over it. What is written then is where nobody looks for it. Blocks.
    public var isInPlace: Bool { root.isInPlace }

    let root: RootDirectory
    let path: String

    /// Opens the directory and makes it, with those above it, where it is missing. `workerTag` is 1–64
    /// ASCII letters, digits, `-` and `_`, and different for every worker that runs.
    public convenience init(_ path: String, workerTag: String) throws(FileError) {
        try self.init(path, workerTag: workerTag, resolution: nil)
    }

    init(_ path: String, workerTag: String, resolution: RootDirectory.Resolution?) throws(FileError) {
        precondition(TemporaryName.isTag(workerTag), "a worker tag has letters, digits, - and _ only")
        try Self.make(path)
        root = try RootDirectory(path, resolution: resolution)
        self.path = path
        self.workerTag = workerTag
    }

    /// Throws `directoryUnusable` where this process could make no file in it, as far as the kernel says without making
    /// one: a disk that is full is not seen. Blocks.
    public func checkWritable() throws(FileError) {
        let status = unsafe faccessat(root.descriptor.number, ".", W_OK | X_OK, AT_EACCESS)
        // Another answer, as of a filter of system calls that is older than this one, says nothing of the directory.
        guard status != 0, [EACCES, EROFS].contains(errno) else { return }
        throw .directoryUnusable(path, .last)
    }

    /// Writes `bytes` as the file at `relativePath`, replacing what is there, and makes the directories
    /// on the way. Whoever looks sees the old file or the new one, never a part: it is written under
    /// another name in the same directory, then renamed. `durable` returns only when file and name are on
    /// the disk.
    ///
    /// The path may be absolute if it lies beneath this directory. Symbolic links to directories are
    /// followed while they stay beneath it; a link in the place of the file itself is replaced. Answers
    /// the number of bytes. On every error nothing of the new file is left. Blocks.
    @discardableResult
    public func write(_ bytes: RawSpan, to relativePath: String, durable: Bool) throws(FileError) -> ByteCount
    {
        let (parents, name) = try split(relativePath)
        do throws(ResolutionError) {
            let directory = try root.openDirectory(parents, creating: durable ? .durable : .volatile)
            do throws(SystemError) {
                try replace(name, in: directory, with: bytes, durable: durable)
            } catch {
                throw .system(error)
            }
        } catch {
            switch error {
            case .leavesRoot: throw .outsideRoots(relativePath)
            case .system(let reason): throw .outputUnwritable(relativePath, reason)
            }
        }
        return ByteCount(bytes.byteCount)
    }

    /// The directories on the way and the file's own name.
    private func split(_ relativePath: String) throws(FileError) -> (parents: [String], name: String) {
        let text = try PathText(relativePath)
        guard let components = root.componentsBeneath(text) else { throw .outsideRoots(relativePath) }
        let namesADirectory = ["/", "/.", "/.."].contains { relativePath.hasSuffix($0) }
        guard let name = components.last, name != "..", !namesADirectory else {
            throw .invalidPath(relativePath, .namesADirectory)
        }
        return (components.dropLast(), name)
    }

    private func replace(
        _ name: String, in directory: borrowing Descriptor, with bytes: RawSpan, durable: Bool
    ) throws(SystemError) {
        let number = directory.number
        let temporary = TemporaryName(tag: workerTag).text
        let file = try Descriptor.opening {
            unsafe openat(
                number, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        }
        do throws(SystemError) {
            try file.write(bytes)
            if durable { try file.synchronise() }
            try file.closeReportingErrors()
            Failpoint.fileWritten.reach()
            guard unsafe renameat(number, temporary, number, name) == 0 else { throw .last }
        } catch {
            // If even this fails, the sweep finds the stray by its name; the first error tells more.
            _ = unsafe unlinkat(number, temporary, 0)
            throw error
        }
        if durable { try synchroniseDirectory(directory) }
    }

    /// mkdir -p.
    private static func make(_ path: String) throws(FileError) {
        let text = try PathText(path)
        var walked = text.isAbsolute ? "" : "."
        for component in text.components {
            walked += "/" + component
            guard unsafe mkdir(walked, 0o777) == 0 || errno == EEXIST else {
                // A read-only file system answers EROFS before it looks whether the directory is there.
                let error = SystemError.last
                guard error.number == EROFS || error.number == EACCES else {
                    throw .directoryUnusable(path, error)
                }
                continue
            }
        }
    }
}

extension OutputDirectory {
    /// As above, for bytes in an array.
    @discardableResult
    public func write(_ bytes: [UInt8], to relativePath: String, durable: Bool) throws(FileError) -> ByteCount
    {
        unsafe try write(bytes.span.bytes, to: relativePath, durable: durable)
    }
}
