/// Where a thumbnail goes when its job does not say: `120x120@3x/albums/a.jpg`, a path beneath the output
/// directory.
public struct OutputPath: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Width and height are in points, as the job gives them; `sourceRelativePath` is the source's path
    /// under the root in which it was found. A thumbnail is a JPEG whatever the source was: `a.png`
    /// becomes `a.png.jpg`, so that it does not meet the thumbnail of an `a.jpg` beside it.
    public init(width: Double, height: Double, scale: Double, sourceRelativePath source: String) {
        let size = "\(Self.plain(width))x\(Self.plain(height))@\(Self.plain(scale))x"
        description = "\(size)/\(source)" + (Self.isNamedJPEG(source) ? "" : ".jpg")
    }

    /// A path of the producer's own for one of several scales: `a.jpg` becomes `a@2x.jpg`.
    public static func scaled(_ path: String, scale: Double) -> String {
        let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[nameStart...]
        // A leading dot begins a hidden file's name, not an extension.
        let dot = name.dropFirst().lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])@\(plain(scale))x\(path[dot...])"
    }

    /// The shortest decimal that reads back as the same number, without a closing `.0`.
    private static func plain(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func isNamedJPEG(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        // A name that is nothing but `.jpg` is a hidden file without extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
        return ["jpg", "jpeg"].contains(name[name.index(after: dot)...].lowercased())
    }
}
