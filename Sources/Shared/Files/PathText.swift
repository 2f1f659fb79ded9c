/// A path as its components, checked once: not empty, no zero byte, not longer than Linux allows.
/// `.` and empty components are dropped, `..` is kept: only the kernel knows where it leads.
struct PathText {
    /// Linux' PATH_MAX, of which one byte is the closing zero.
    static let longest = 4095

    let isAbsolute: Bool
    let components: [String]

    init(_ text: String) throws(FileError) {
        guard !text.isEmpty else { throw .invalidPath(text, .empty) }
        let length = text.utf8.count
        guard length <= Self.longest else {
            throw .invalidPath(text, .tooLong(limit: Self.longest, found: length))
        }
        guard !text.utf8.contains(0) else { throw .invalidPath(text, .containsNUL) }
        self.init(trusting: text)
    }

    /// A text that comes from the kernel and needs no check.
    init(trusting text: String) {
        isAbsolute = text.utf8.first == UInt8(ascii: "/")
        // By bytes: in a Character a slash can carry a combining mark, and the kernel still splits there.
        components = text.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0 != "." }
    }

    /// The components after `..` was taken back by name alone. A name for people and for outputs, not a
    /// way: behind a symbolic link `..` leads elsewhere. What would lead above the top stays at the top.
    static func normalised(_ components: [String]) -> [String] {
        components.reduce(into: []) { kept, component in
            if component != ".." { kept.append(component) } else { _ = kept.popLast() }
        }
    }
}
