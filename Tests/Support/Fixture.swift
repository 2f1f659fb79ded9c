import Glibc

/// Files that tests read: the project's own fixtures, and a corpus of real files where one exists.
public enum Fixture {
    /// A file of `Tests/Fixtures`; ends the test run when it is missing.
    public static func bytes(_ name: String, file: String = #filePath) -> [UInt8] {
        guard let bytes = contents(of: path(name, file: file)) else { fatalError("no fixture named \(name)") }
        return bytes
    }

    /// Where a file of `Tests/Fixtures` is.
    public static func path(_ name: String, file: String = #filePath) -> String {
        folder(of: folder(of: file)) + "/Fixtures/" + name
    }

    /// The files that lie in `Tests/Fixtures` itself, sorted.
    public static func names(file: String = #filePath) -> [String] {
        guard let directory = unsafe opendir(path("", file: file)) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            guard unsafe entry.pointee.d_type == UInt8(DT_REG) else { continue }
            unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    names.append(unsafe String(cString: $0))
                }
            }
        }
        return names.sorted()
    }

    /// The whole file, or nil when it cannot be read.
    public static func contents(of path: String) -> [UInt8]? {
        guard let stream = unsafe fopen(path, "rb") else { return nil }
        defer { unsafe fclose(stream) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&block, 1, block.count, stream)
            if count == 0 { return bytes }
            bytes += block[..<count]
        }
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}

/// The corpus of real files: the folder that THUMBNAIL_CORPUS names, else `../shared/corpus` beside
/// the package. Tests over it pass, without having run, where there is none.
public struct Corpus: Sendable {
    public let folder: String
    /// Rows of MANIFEST.tsv and PEERS.tsv, by column name.
    public let manifest: [[String: String]]
    public let peers: [String: [String: String]]

    /// Nil when there is no corpus.
    public init?(file: String = #filePath) {
        let package = Fixture.folder(of: Fixture.folder(of: Fixture.folder(of: file)))
        let named = unsafe getenv("THUMBNAIL_CORPUS").map { unsafe String(cString: $0) }
        folder = named ?? package + "/../shared/corpus"
        guard let manifest = Self.table(folder + "/MANIFEST.tsv"),
            let peers = Self.table(folder + "/PEERS.tsv")
        else { return nil }
        self.manifest = manifest
        self.peers = Dictionary(peers.map { ($0["path"] ?? "", $0) }) { first, _ in first }
    }

    public func bytes(_ path: String) -> [UInt8]? { Fixture.contents(of: folder + "/" + path) }

    private static func table(_ path: String) -> [[String: String]]? {
        guard let bytes = Fixture.contents(of: path) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let names = lines.first?.split(separator: "\t", omittingEmptySubsequences: false) else {
            return nil
        }
        return lines.dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return Dictionary(zip(names, fields).map { (String($0), String($1)) }) { first, _ in first }
        }
    }
}
