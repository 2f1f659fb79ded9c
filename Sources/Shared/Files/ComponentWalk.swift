internal import CLinux
internal import Glibc

/// Resolves a path beneath a root one component at a time, following symbolic links by itself. No call
/// of it names more than one component, and none follows a link or `..`, so none can leave the root.
struct ComponentWalk {
    /// Whether missing directories are made, and made durable.
    enum Creation {
        case volatile, durable
    }

    /// As many links as Linux itself follows on one path.
    static let mostLinks = 40

    private let root: RootDirectory
    private let creation: Creation?
    /// Components still to go, the next one last.
    private var ahead: [String] = []
    /// Real directories between the root and where the walk stands.
    private var behind: [String] = []
    private var linksFollowed = 0

    init(from root: RootDirectory, creating creation: Creation?) {
        self.root = root
        self.creation = creation
    }

    mutating func open(_ components: [String], flags: Int32) throws(ResolutionError) -> Descriptor {
        ahead = components.reversed()
        var here = try start()
        while let component = ahead.popLast() {
            if component == ".." {
                here = try stepUp()
                continue
            }
            let isLast = ahead.isEmpty
            do throws(SystemError) {
                let next = try step(from: here, into: component, flags: isLast ? flags : Self.directoryFlags)
                if isLast { return next }
                here = next
                behind.append(component)
            } catch {
                // O_NOFOLLOW answers ELOOP for a link, together with O_DIRECTORY ENOTDIR.
                guard error.number == ELOOP || error.number == ENOTDIR,
                    let target = try linkTarget(of: component, in: here)
                else { throw .system(error) }
                if try follow(target) { here = try start() }
            }
        }
        // The path ended in `..`, or was empty: it names the directory in which the walk stands.
        return try openAgain(here, flags: flags)
    }

    private static var directoryFlags: Int32 { linux_O_PATH | O_DIRECTORY }

    private func start() throws(ResolutionError) -> Descriptor {
        try openAgain(root.descriptor, flags: Self.directoryFlags)
    }

    private func openAgain(
        _ directory: borrowing Descriptor, flags: Int32
    ) throws(ResolutionError) -> Descriptor {
        let number = directory.number
        do throws(SystemError) {
            return try Descriptor.opening { unsafe openat(number, ".", flags | O_CLOEXEC) }
        } catch {
            throw .system(error)
        }
    }

    /// Opens one component; makes the directory first if it is missing and may be made.
    private func step(
        from here: borrowing Descriptor, into component: String, flags: Int32
    ) throws(SystemError) -> Descriptor {
        let number = here.number
        let open: () -> Int32 = { unsafe openat(number, component, flags | O_NOFOLLOW | O_CLOEXEC) }
        do throws(SystemError) {
            return try Descriptor.opening(open)
        } catch {
            guard error.number == ENOENT, let creation else { throw error }
            // Another job may have made it in between; then it is there, which is all that is wanted.
            guard unsafe mkdirat(number, component, 0o777) == 0 || errno == EEXIST else { throw .last }
            if creation == .durable { try synchroniseDirectory(here) }
            return try Descriptor.opening(open)
        }
    }

    /// Walks down again from the root to the parent, rather than trusting `..` of a directory that may
    /// have been moved meanwhile.
    private mutating func stepUp() throws(ResolutionError) -> Descriptor {
        guard behind.popLast() != nil else { throw .leavesRoot }
        var here = try start()
        for component in behind {
            do throws(SystemError) {
                here = try step(from: here, into: component, flags: Self.directoryFlags)
            } catch {
                throw .system(error)
            }
        }
        return here
    }

    /// Puts a link's target in place of the link. Answers whether the walk starts again at the root.
    private mutating func follow(_ target: String) throws(ResolutionError) -> Bool {
        linksFollowed += 1
        guard linksFollowed <= Self.mostLinks else { throw .system(SystemError(ELOOP)) }
        let path = PathText(trusting: target)
        guard let components = root.componentsBeneath(path) else { throw .leavesRoot }
        ahead += components.reversed()
        if path.isAbsolute { behind = [] }
        return path.isAbsolute
    }

    /// Where a symbolic link points; nil when the component is none.
    private func linkTarget(
        of component: String, in here: borrowing Descriptor
    ) throws(ResolutionError) -> String? {
        let number = here.number
        var target = [CChar](repeating: 0, count: PathText.longest + 1)
        let length = unsafe readlinkat(number, component, &target, target.count)
        guard length >= 0 else {
            if errno == EINVAL { return nil }
            throw .system(.last)
        }
        return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Makes the entries of a directory durable. A descriptor opened with O_PATH cannot do it.
func synchroniseDirectory(_ directory: borrowing Descriptor) throws(SystemError) {
    let number = directory.number
    try Descriptor.opening { unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }.synchronise()
}
