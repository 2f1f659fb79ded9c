import FoundationEssentials
import Glibc

/// A directory for one test, gone with all it holds when the test ends.
final class Scratch {
    let path: String
    private var mounts: [String] = []

    init() {
        var template = "\(P_tmpdir)/files-tests-XXXXXX".utf8CString
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        precondition(made, "no place for temporary files")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for mount in mounts { _ = unsafe umount2(mount, Int32(MNT_DETACH)) }
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(error)") }
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    func directory(_ name: String) -> String {
        let status = unsafe mkdir(path(name), 0o755)
        precondition(status == 0, "mkdir \(name)")
        return path(name)
    }

    @discardableResult
    func file(_ name: String, _ content: [UInt8] = Array("picture".utf8)) -> String {
        let descriptor = unsafe open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        precondition(descriptor >= 0, "create \(name)")
        defer { close(descriptor) }
        let count = unsafe write(descriptor, content, content.count)
        precondition(count == content.count)
        return path(name)
    }

    func link(_ name: String, to target: String) {
        let status = unsafe symlink(target, path(name))
        precondition(status == 0, "symlink \(name)")
    }

    func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path(name)).map { Array($0) }
    }

    /// All names beneath, sorted; directories end in a slash.
    func names(_ name: String = ".") -> [String] {
        (FileManager.default.enumerator(atPathSorted: path(name)))
    }

    func age(_ name: String, seconds: Int) {
        let moment = timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)
        let status = unsafe utimensat(AT_FDCWD, path(name), [moment, moment], AT_SYMLINK_NOFOLLOW)
        precondition(status == 0)
    }

    /// Mounts a small file system of its own; false where this process may not.
    func mountMemory(_ name: String, options: String) -> Bool {
        mountMemory(over: directory(name), options: options)
    }

    /// The same over a directory that there is.
    func mountMemory(over target: String, options: String) -> Bool {
        let status = unsafe options.withCString { unsafe mount("tmpfs", target, "tmpfs", 0, $0) }
        if status == 0 { mounts.append(target) }
        return status == 0
    }

    /// From here on, nothing can be written there.
    func makeReadOnly(_ name: String) -> Bool {
        unsafe mount("tmpfs", path(name), "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    }

    /// How many descriptors of this process are open on something beneath.
    func openDescriptors() -> Int {
        let table = "/proc/self/fd"
        guard let numbers = try? FileManager.default.contentsOfDirectory(atPath: table) else { return -1 }
        return numbers.filter { number in
            var target = [CChar](repeating: 0, count: 4096)
            let length = unsafe readlink("\(table)/\(number)", &target, target.count)
            guard length > 0 else { return false }
            return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
                .hasPrefix(path + "/")
        }.count
    }
}

extension FileManager {
    fileprivate func enumerator(atPathSorted path: String) -> [String] {
        guard let names = try? contentsOfDirectory(atPath: path) else { return [] }
        return names.sorted().flatMap { name in
            var isDirectory = false
            guard fileExists(atPath: "\(path)/\(name)", isDirectory: &isDirectory), isDirectory else {
                return [name]
            }
            return ["\(name)/"] + enumerator(atPathSorted: "\(path)/\(name)").map { "\(name)/\($0)" }
        }
    }
}
