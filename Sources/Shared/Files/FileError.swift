public import Units

/// Why a source could not be read or an output not be written. Paths are as they were asked for.
public enum FileError: Error, Equatable, Sendable {
    /// The text cannot be a path of a file, on any machine.
    case invalidPath(String, PathProblem)
    /// The path, or a symbolic link on it, leads out of the directories that are allowed.
    case outsideRoots(String)
    /// No root has such a file.
    case notFound(String)
    /// It exists, but is no plain file.
    case notARegularFile(String, found: FileKind)
    /// The kernel refused to open or read it.
    case sourceUnreadable(String, SystemError)
    /// It was not the same from the first look to the last byte.
    case changedWhileRead(String)
    /// Larger than the caller allows; nothing was read.
    case tooLarge(String, limit: ByteCount, found: ByteCount)
    /// The kernel has no memory for the file's bytes.
    case outOfMemory(String, required: ByteCount)
    /// The kernel refused to create, fill or rename it; nothing of it is left behind.
    case outputUnwritable(String, SystemError)
    /// A directory to read beneath or write beneath cannot be opened.
    case directoryUnusable(String, SystemError)
}

/// What is wrong with a path's text.
public enum PathProblem: Equatable, Sendable {
    case empty
    case containsNUL
    case tooLong(limit: Int, found: Int)
    /// It ends in `/`, `.` or `..` and so names a directory.
    case namesADirectory
}

/// What a directory entry or an open descriptor is.
public enum FileKind: String, Equatable, Sendable {
    case regularFile = "regular file"
    case directory
    case symbolicLink = "symbolic link"
    case fifo = "FIFO"
    case socket
    case characterDevice = "character device"
    case blockDevice = "block device"
    case unknown = "file of unknown kind"
}

extension FileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidPath(let path, let problem): "“\(path.prefix(200))” is no path: \(problem)"
        case .outsideRoots(let path): "“\(path)” leads out of what is allowed"
        case .notFound(let path): "“\(path)” does not exist"
        case .notARegularFile(let path, let kind): "“\(path)” is a \(kind.rawValue), not a regular file"
        case .sourceUnreadable(let path, let reason): "“\(path)” cannot be read: \(reason)"
        case .changedWhileRead(let path): "“\(path)” changed while it was read"
        case .tooLarge(let path, let limit, let found):
            "“\(path)” has \(found), more than the allowed \(limit)"
        case .outOfMemory(let path, let required): "no memory for the \(required) of “\(path)”"
        case .outputUnwritable(let path, let reason): "“\(path)” cannot be written: \(reason)"
        case .directoryUnusable(let path, let reason): "the directory “\(path)” cannot be used: \(reason)"
        }
    }
}

extension PathProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "it is empty"
        case .containsNUL: "it contains a zero byte"
        case .tooLong(let limit, let found): "it has \(found) bytes, more than \(limit)"
        case .namesADirectory: "it names a directory"
        }
    }
}
