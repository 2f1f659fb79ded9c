import Glibc

/// A folder of one test, removed with everything in it when the object goes away.
public final class TemporaryFolder: Sendable {
    public struct CannotMake: Error { public let code: Int32 }

    public let path: String

    public init() throws {
        var template = Array("/tmp/thumbnail-fleet-XXXXXX".utf8CString)
        guard unsafe (mkdtemp(&template) != nil) else { throw CannotMake(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Removes without following links: a link to elsewhere is only unlinked.
    private static func remove(_ path: String) {
        if unsafe unlink(path) == 0 { return }
        if let folder = unsafe opendir(path) {
            while let entry = unsafe readdir(folder) {
                let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != "." && name != ".." { remove(path + "/" + name) }
            }
            unsafe closedir(folder)
        }
        unsafe rmdir(path)
    }
}

/// The text of a file; empty when there is none.
func readFile(_ path: String) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return String(decoding: text, as: UTF8.self) }
        text += chunk.prefix(count)
    }
}

struct CannotWrite: Error { let path: String, code: Int32 }

/// Replaces what a file holds; only its owner may read it.
func writeFile(_ text: String, to path: String) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CannotWrite(path: path, code: errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw CannotWrite(path: path, code: errno) }
}
