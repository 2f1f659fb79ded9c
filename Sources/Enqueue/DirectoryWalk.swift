import Files
import PictureFormats

/// Finds the pictures beneath a directory, one at a time: a million files are never in memory together,
/// only the names in the directories between here and the top.
///
/// Names come in ascending order of their bytes, a directory's content in the place of its name, so that
/// two walks over the same files give the same list. Directories behind symbolic links are not entered;
/// a link to a file counts if the file lies beneath the same top.
struct DirectoryWalk {
    /// What was found, by its path beneath the top.
    enum Finding: Equatable {
        case picture(String)
        case skipped(String, SkipReason)
    }

    private struct Level {
        /// Empty for the top, else with a closing slash.
        let prefix: String
        var entries: ArraySlice<DirectoryEntry>
    }

    /// Absolute, without symbolic links.
    let top: String
    private let roots: SourceRoots
    private var levels: [Level] = []

    /// Opens the top; throws when that alone fails. What fails further down is a finding.
    init(_ directory: String) throws(FileError) {
        roots = try SourceRoots([directory])
        top = roots.directories[0]
        levels = [Level(prefix: "", entries: try OpenDirectory(directory).entries()[...])]
    }

    /// The next finding; nil at the end. Blocks.
    mutating func next() -> Finding? {
        while let last = levels.indices.last {
            guard let entry = levels[last].entries.popFirst() else {
                levels.removeLast()
                continue
            }
            guard let name = entry.name else {
                let shown = String(decoding: entry.nameBytes, as: UTF8.self)
                return .skipped(levels[last].prefix + shown, .nameIsNoText)
            }
            let path = levels[last].prefix + name
            guard entry.kind == .directory else { return look(at: path) }
            do throws(FileError) {
                let entries = try OpenDirectory("\(top)/\(path)").entries()
                levels.append(Level(prefix: path + "/", entries: entries[...]))
            } catch {
                return .skipped(path, .unreadable(error))
            }
        }
        return nil
    }

    /// Decides by the first bytes.
    private func look(at path: String) -> Finding {
        do throws(FileError) {
            let head = try roots.open(path).read(at: 0, count: PictureFormat.headLength)
            switch PictureFormat(firstBytes: head.span) {
            case .jpeg: return .picture(path)
            case let format?: return .skipped(path, .otherFormat(format))
            case nil: return .skipped(path, .noPicture)
            }
        } catch {
            // Sockets, and links to directories, are there and no fault.
            if case .notARegularFile = error { return .skipped(path, .noPicture) }
            return .skipped(path, .unreadable(error))
        }
    }
}

/// Why a file that was found is not enqueued.
enum SkipReason: Equatable {
    case noPicture
    /// A picture, but none that the workers can read.
    case otherFormat(PictureFormat)
    case unreadable(FileError)
    /// A job is text, and this name is no UTF-8.
    case nameIsNoText
    /// Longer than a path can be.
    case pathTooLong
    /// Does not lie beneath the directory of `--relative-to`.
    case notBeneath(String)

    /// Whether the user has to know of each such file. A text file between pictures is as it should be.
    var deservesWarning: Bool {
        switch self {
        case .noPicture, .otherFormat: false
        case .unreadable, .nameIsNoText, .pathTooLong, .notBeneath: true
        }
    }
}

extension SkipReason: CustomStringConvertible {
    var description: String {
        switch self {
        case .noPicture: "no picture"
        case .otherFormat(let format): "\(format.name), which the workers do not read"
        case .unreadable(let error): error.description
        case .nameIsNoText: "its name is no UTF-8 and cannot be part of a job"
        case .pathTooLong: "its path is too long"
        case .notBeneath(let directory): "it does not lie beneath “\(directory)”"
        }
    }
}
