internal import Glibc

/// The socket at which a service manager, such as systemd, hears how a service is: sd_notify(3), without its library.
///
/// Connected where it is made: behind a fence that keeps abstract sockets out, a connected one still works.
public final class NotifySocket: Sendable {
    private let descriptor: Int32

    /// - Parameter path: `$NOTIFY_SOCKET`: a path, or an abstract name behind an `@`.
    /// - Throws: what the kernel said, when nobody listens there or the address is none.
    public init(at path: String) throws(NotifyError) {
        guard path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count > 1 else {
            throw .badAddress(path)
        }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: place.sun_path)
        guard name.count < room else { throw .badAddress(path) }
        // An abstract name begins with a zero and has no end but its length.
        if path.hasPrefix("@") { name[0] = 0 } else { name.append(0) }
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .system(path, errno) }
        let status = unsafe withUnsafePointer(to: place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, length)
            }
        }
        guard status == 0 else {
            let reason = errno
            close(descriptor)
            throw .system(path, reason)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends assignments such as `READY=1`, each on a line of its own. Never waits: false when the manager does not
    /// take it now, or has gone.
    @discardableResult
    public func send(_ assignments: [String]) -> Bool {
        let bytes = Array(assignments.map { $0.replacing("\n", with: " ") }.joined(separator: "\n").utf8)
        let sent = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return sent == bytes.count
    }
}

public enum NotifyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Neither a path nor an abstract name, or too long for one.
    case badAddress(String)
    /// The kernel's `errno`.
    case system(String, Int32)

    public var description: String {
        switch self {
        case .badAddress(let path): "NOTIFY_SOCKET=\(path) is no socket's path and no abstract name"
        case .system(let path, let number):
            "NOTIFY_SOCKET=\(path): " + (unsafe strerror(number).map { unsafe String(cString: $0) } ?? "")
        }
    }
}
