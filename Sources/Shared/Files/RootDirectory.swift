internal import CLinux
internal import Glibc

/// Why a path beneath a root could not be opened.
enum ResolutionError: Error {
    case leavesRoot
    case system(SystemError)
}

/// A directory opened once, beneath which everything else is opened. No path, `..` or symbolic link leads
/// out of it, also while others rename and link at the same time.
final class RootDirectory: Sendable {
    /// How paths are resolved. The kernel does it in one call since Linux 5.6; where it may not be asked
    /// (older kernels, containers with old filters) every component is opened by itself.
    enum Resolution {
        case kernel, byComponent
    }

    let descriptor: Descriptor
    let resolution: Resolution
    /// Absolute, as the caller named it and with all symbolic links resolved: jobs may use either.
    private let names: [[String]]
    /// Absolute and without symbolic links.
    let canonicalPath: String

    /// Opens `path`, which must be a directory. `resolution` nil asks the kernel what it can do.
    init(_ path: String, resolution: Resolution? = nil) throws(FileError) {
        let text = try PathText(path)
        do throws(SystemError) {
            let opened = try Descriptor.opening {
                unsafe Glibc.open(path, linux_O_PATH | O_DIRECTORY | O_CLOEXEC)
            }
            canonicalPath = try resolvedPath(path)
            let canonical = PathText(trusting: canonicalPath).components
            let given = text.isAbsolute ? text.components : try workingDirectory() + text.components
            names = [canonical, given]
            self.resolution = resolution ?? Self.bestResolution(in: opened)
            descriptor = opened
        } catch {
            throw .directoryUnusable(path, error)
        }
    }

    private static func bestResolution(in directory: borrowing Descriptor) -> Resolution {
        let number = directory.number
        do throws(SystemError) {
            _ = try Descriptor.opening {
                unsafe linux_open_beneath(number, ".", linux_O_PATH | O_DIRECTORY | O_CLOEXEC)
            }
            return .kernel
        } catch {
            return .byComponent
        }
    }

    /// The components of a path beneath this root; nil when it is absolute and lies elsewhere.
    func componentsBeneath(_ path: PathText) -> [String]? {
        guard path.isAbsolute else { return path.components }
        return names.first { path.components.starts(with: $0) }.map {
            Array(path.components.dropFirst($0.count))
        }
    }

    /// Whether its path still leads to it: not when it was renamed or removed, nor when it was unmounted or something
    /// was mounted over it. What cannot be told, as while a share does not answer, counts as in place. Blocks.
    var isInPlace: Bool {
        var there = stat()
        guard unsafe stat(canonicalPath, &there) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        do throws(SystemError) {
            let opened = try descriptor.status()
            return there.st_dev == opened.st_dev && there.st_ino == opened.st_ino
        } catch {
            return true
        }
    }

    /// Opens what lies at `components`; `flags` as for openat(2), close-on-exec is added.
    func open(_ components: [String], flags: Int32) throws(ResolutionError) -> Descriptor {
        if resolution == .kernel {
            do throws(SystemError) {
                return try openByKernel(components, flags: flags)
            } catch {
                switch error.number {
                // Leads out, or is an absolute link, which the kernel always refuses: may be one of ours.
                // ELOOP is “too many links” as well as “a magic link of /proc”. EAGAIN: renames nearby.
                case EXDEV, ELOOP, EAGAIN: break
                default: throw .system(error)
                }
            }
        }
        var walk = ComponentWalk(from: self, creating: nil)
        return try walk.open(components, flags: flags)
    }

    private func openByKernel(_ components: [String], flags: Int32) throws(SystemError) -> Descriptor {
        let path = components.isEmpty ? "." : components.joined(separator: "/")
        return try Descriptor.opening {
            unsafe linux_open_beneath(descriptor.number, path, flags | O_CLOEXEC)
        }
    }

    /// Opens the directory at `components` and makes those that are missing.
    func openDirectory(
        _ components: [String], creating mode: ComponentWalk.Creation
    ) throws(ResolutionError) -> Descriptor {
        do throws(ResolutionError) {
            return try open(components, flags: linux_O_PATH | O_DIRECTORY)
        } catch .system(let error) where error.number == ENOENT {
            var walk = ComponentWalk(from: self, creating: mode)
            return try walk.open(components, flags: linux_O_PATH | O_DIRECTORY)
        }
    }
}

private func workingDirectory() throws(SystemError) -> [String] {
    PathText(trusting: try resolvedPath(".")).components
}

private func resolvedPath(_ path: String) throws(SystemError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw .last }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}
