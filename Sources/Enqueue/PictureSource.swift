import Files
import Glibc

/// All that a run looks at, one file after the other, as the paths that jobs name.
struct PictureSource {
    enum Item: Equatable {
        case job(source: String)
        /// By the path that helps the user to find it.
        case skipped(String, SkipReason)
        /// The list goes on, but nothing more came before the deadline.
        case nothingYet
    }

    private enum Origin {
        case directories(current: DirectoryWalk, left: ArraySlice<String>)
        case list(FileList)
    }

    private var origin: Origin
    private let paths: JobPaths
    private let base: String?

    /// Opens what the request names: the first directory or the list, and the directory that paths are
    /// relative to. `standardInput` is what `-` stands for.
    init(_ request: EnqueueRequest, standardInput: Int32 = 0) throws(FileError) {
        base = try request.relativeTo.map { directory throws(FileError) in try Self.canonical(directory) }
        paths = JobPaths(relativeTo: base, workingDirectory: try Self.canonical("."))
        switch request.source {
        case .directories(let directories):
            // A name that is wrong should be told before the first thousand jobs of another are pushed.
            for directory in directories { _ = try OpenDirectory(directory) }
            origin = .directories(current: try DirectoryWalk(directories[0]), left: directories.dropFirst())
        case .list(let path, let separator):
            let descriptor = path == nil ? standardInput : try Self.openList(path ?? "")
            origin = .list(FileList(descriptor: descriptor, separator: separator))
        }
    }

    /// The next file; nil at the end. Blocks; waits for a list that is still being written until the
    /// deadline, if there is one. Throws when the list itself, or a directory that was there at the start,
    /// cannot be read.
    mutating func next(until deadline: ContinuousClock.Instant? = nil) throws(FileError) -> Item? {
        switch origin {
        case .directories(var walk, var left):
            while true {
                if let finding = walk.next() {
                    origin = .directories(current: walk, left: left)
                    return item(finding, beneath: walk.top)
                }
                guard let directory = left.popFirst() else {
                    origin = .directories(current: walk, left: left)
                    return nil
                }
                walk = try DirectoryWalk(directory)
            }
        case .list(var list):
            defer { origin = .list(list) }
            do throws(SystemError) {
                return try list.next(until: deadline).map(item)
            } catch {
                throw .sourceUnreadable("the list of files", error)
            }
        }
    }

    private func item(_ finding: DirectoryWalk.Finding, beneath top: String) -> Item {
        switch finding {
        case .picture(let path): job(top == "/" ? "/\(path)" : "\(top)/\(path)")
        case .skipped(let path, let reason): .skipped("\(top)/\(path)", reason)
        }
    }

    private func item(_ item: FileList.Item) -> Item {
        switch item {
        case .path(let path): job(path)
        case .skipped(let path, let reason): .skipped(path, reason)
        case .nothingYet: .nothingYet
        }
    }

    private func job(_ path: String) -> Item {
        guard let source = paths.jobPath(of: path) else { return .skipped(path, .notBeneath(base ?? "/")) }
        return .job(source: source)
    }

    private static func canonical(_ directory: String) throws(FileError) -> String {
        try SourceRoots([directory]).directories[0]
    }

    /// Open until the program ends, like standard input.
    private static func openList(_ path: String) throws(FileError) -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .sourceUnreadable(path, SystemError(errno)) }
        return descriptor
    }
}
