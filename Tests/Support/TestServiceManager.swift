import Glibc
import Synchronization

/// A socket of one test on which a service manager would listen.
public final class TestServiceManager: Sendable {
    public struct CannotListen: Error { let code: Int32 }

    /// For `NOTIFY_SOCKET`.
    public let address: String
    private let folder: TemporaryFolder
    private let descriptor: Mutex<Int32>

    public init(isAbstract: Bool) throws {
        folder = try TemporaryFolder()
        let path = folder.path + "/notify"
        address = isAbstract ? "@" + path : path
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        var name = Array(address.utf8)
        if isAbstract { name[0] = 0 } else { name.append(0) }
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let code = unsafe withUnsafePointer(to: place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length)
            }
        }
        guard code == 0 else { throw CannotListen(code: errno) }
        self.descriptor = Mutex(descriptor)
    }

    deinit { close() }

    /// The assignments of the next datagram, if one is there.
    public func receive() -> [String] {
        descriptor.withLock { descriptor in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return [] }
            return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(
                String.init)
        }
    }

    /// Nobody listens any more.
    public func close() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }
    }
}
