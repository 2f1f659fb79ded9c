/// Turns paths of files into the paths that jobs name: absolute, or relative to a directory that every
/// worker knows under a name of its own. By names alone; nothing is looked up.
struct JobPaths {
    /// Components of the directory that paths are relative to; nil pushes absolute paths.
    private let base: [Substring]?
    private let workingDirectory: [Substring]

    /// Both absolute and without symbolic links.
    init(relativeTo base: String?, workingDirectory: String) {
        self.base = base.map(Self.components)
        self.workingDirectory = Self.components(of: workingDirectory)
    }

    /// The path for the job; nil when it does not lie beneath the base. A relative path starts at the
    /// working directory.
    func jobPath(of path: String) -> String? {
        let own = Self.components(of: path)
        let absolute = Self.resolvingDots(path.utf8.first == UInt8(ascii: "/") ? own : workingDirectory + own)
        guard let base else { return "/" + absolute.joined(separator: "/") }
        guard absolute.starts(with: base), absolute.count > base.count else { return nil }
        return absolute.dropFirst(base.count).joined(separator: "/")
    }

    private static func components(of path: String) -> [Substring] {
        // By bytes, as the kernel does it.
        path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
    }

    /// A listed `../photos/a.jpg` is found beneath a base only after its dots are resolved.
    private static func resolvingDots(_ components: [Substring]) -> [Substring] {
        components.reduce(into: []) { kept, component in
            if component != ".." { kept.append(component) } else { _ = kept.popLast() }
        }
    }
}
