import FoundationEssentials
import Glibc

/// A directory for one test, gone with all it holds when the test ends.
final class Scratch {
    /// Absolute, without symbolic links.
    let path: String

    init() {
        var template = "\(P_tmpdir)/enqueue-tests-XXXXXX".utf8CString
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        precondition(made, "no place for temporary files")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(error)") }
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    func directory(_ name: String) {
        let status = unsafe mkdir(path(name), 0o755)
        precondition(status == 0, "mkdir \(name)")
    }

    func file(_ name: String, _ content: [UInt8] = Scratch.jpeg) {
        file(Array(name.utf8), content)
    }

    func file(_ name: [UInt8], _ content: [UInt8]) {
        let bytes = Array("\(path)/".utf8) + name + [0]
        let descriptor = unsafe open(bytes.map(CChar.init(bitPattern:)), O_WRONLY | O_CREAT, 0o644)
        precondition(descriptor >= 0)
        let count = unsafe write(descriptor, content, content.count)
        precondition(count == content.count)
        close(descriptor)
    }

    func link(_ name: String, to target: String) {
        let status = unsafe symlink(target, path(name))
        precondition(status == 0, "symlink \(name)")
    }

    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8)
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
}
