internal import Glibc

/// The directories beneath which jobs may name their sources. Opened once: renaming or replacing a root
/// later does not move the border.
public final class SourceRoots: Sendable {
    private let roots: [RootDirectory]

    /// Opens one or more directories; traps when there is none.
    public convenience init(_ directories: [String]) throws(FileError) {
        try self.init(directories, resolution: nil)
    }

    init(_ directories: [String], resolution: RootDirectory.Resolution?) throws(FileError) {
        precondition(!directories.isEmpty, "sources are read beneath at least one root")
        var roots: [RootDirectory] = []
        for directory in directories { roots.append(try RootDirectory(directory, resolution: resolution)) }
        self.roots = roots
    }

    /// The roots as absolute paths without symbolic links, in the order in which they are asked.
    public var directories: [String] { roots.map(\.canonicalPath) }

    /// The roots whose paths no longer lead to what was opened, see `OutputDirectory.isInPlace`. Blocks.
    public var displaced: [String] { roots.filter { !$0.isInPlace }.map(\.canonicalPath) }

    /// Opens a source for reading. A relative path starts at the first root that has it; an absolute one
    /// must lie beneath a root. Symbolic links are followed as long as they stay beneath it.
    ///
    /// Blocks for as long as the file system does; never for the other end of a FIFO.
    public func open(_ path: String) throws(FileError) -> SourceFile {
        let text = try PathText(path)
        var mayLieBeneath = false
        for root in roots {
            guard let components = root.componentsBeneath(text) else { continue }
            mayLieBeneath = true
            if let file = try Self.open(components, beneath: root, calledFor: path) { return file }
        }
        throw mayLieBeneath ? .notFound(path) : .outsideRoots(path)
    }

    /// Opens a file beneath one root; nil when that root has none of this name.
    private static func open(
        _ components: [String], beneath root: RootDirectory, calledFor path: String
    ) throws(FileError) -> SourceFile? {
        let descriptor: Descriptor
        do throws(ResolutionError) {
            // Without O_NONBLOCK, opening a FIFO would wait until somebody writes to it.
            descriptor = try root.open(components, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            guard case .system(let reason) = error else { throw .outsideRoots(path) }
            switch reason.number {
            case ENOENT, ENOTDIR: return nil
            // What a socket answers to being opened, and a device that nobody drives.
            case ENXIO: throw .notARegularFile(path, found: .socket)
            default: throw .sourceUnreadable(path, reason)
            }
        }
        let relativePath = PathText.normalised(components).joined(separator: "/")
        return try SourceFile(descriptor, path: path, relativePath: relativePath)
    }
}
