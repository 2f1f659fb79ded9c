import CLinux
import Glibc
import Redis

/// Where a proxy listens. Closing and opening it again keeps the address.
struct ProxyListener: Sendable {
    enum Place: Sendable {
        /// On a free port.
        case loopback
        case unix(path: String)
    }

    struct CannotListen: Error { let code: Int32 }

    let endpoint: RedisAddress.Endpoint
    /// Negative while closed.
    private(set) var descriptor: Int32 = -1
    /// Bound to the port and never listening, so that nobody else is given it while the other is closed.
    private var placeholder: Int32 = -1

    init(_ place: Place) throws {
        switch place {
        case .unix(let path): endpoint = .unix(path: path)
        case .loopback:
            placeholder = try Self.bound(to: .tcp(host: "127.0.0.1", port: 0))
            endpoint = .tcp(host: "127.0.0.1", port: Self.port(of: placeholder))
        }
        try open()
    }

    mutating func open() throws {
        guard descriptor < 0 else { return }
        descriptor = try Self.bound(to: endpoint)
        guard listen(descriptor, 128) == 0 else { throw CannotListen(code: errno) }
    }

    mutating func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Closes for good.
    mutating func end() {
        close()
        if placeholder >= 0 { _ = Glibc.close(placeholder) }
        placeholder = -1
    }

    private static func bound(to endpoint: RedisAddress.Endpoint) throws -> Int32 {
        if case .unix(let path) = endpoint { _ = unsafe unlink(path) }
        let descriptor = ProxySocket.make(at: endpoint)
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let code = unsafe ProxySocket.withAddress(of: endpoint) { place, length in
            unsafe bind(descriptor, place, length)
        }
        guard code == 0 else {
            defer { _ = Glibc.close(descriptor) }
            throw CannotListen(code: errno)
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var place = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe getsockname(descriptor, place, &length)
            }
        }
        precondition(code == 0, "a bound socket has an address")
        return UInt16(bigEndian: place.sin_port)
    }
}

/// Stream sockets that never block.
enum ProxySocket {
    /// A client's connection that waits; negative when there is none.
    static func accept(on listener: Int32) -> Int32 {
        settled(Glibc.accept(listener, nil, nil))
    }

    /// Negative when nobody listens there.
    static func connected(to endpoint: RedisAddress.Endpoint) -> Int32 {
        let descriptor = make(at: endpoint)
        let code = unsafe withAddress(of: endpoint) { place, length in
            unsafe connect(descriptor, place, length)
        }
        guard code == 0 else {
            _ = close(descriptor)
            return -1
        }
        return settled(descriptor)
    }

    /// What has arrived: nil at the end of the stream, nothing when there is nothing yet.
    static func read(_ descriptor: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        if count > 0 { return Array(chunk.prefix(count)) }
        return count < 0 && errno == EAGAIN ? [] : nil
    }

    /// How many of the bytes the socket took; nil when the other side is gone.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }

    static func make(at endpoint: RedisAddress.Endpoint) -> Int32 {
        let family = if case .unix = endpoint { AF_UNIX } else { AF_INET }
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "the process has no descriptor left for a socket")
        return descriptor
    }

    static func withAddress(
        of endpoint: RedisAddress.Endpoint, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        switch endpoint {
        case .tcp(_, let port):
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            place.sin_port = port.bigEndian
            return unsafe withUnsafePointer(to: &place) { place in
                unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .unix(let path):
            var place = sockaddr_un()
            place.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &place.sun_path) { room in
                precondition(path.utf8.count < room.count, "a socket's path has at most 107 bytes")
                unsafe room.copyBytes(from: path.utf8)
            }
            return unsafe withUnsafePointer(to: &place) { place in
                unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        case .sentinel: preconditionFailure("a socket leads to one server")
        }
    }

    private static func settled(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}

/// Ends a `poll` that sleeps, as often as wanted.
final class WakeUp: Sendable {
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "the process has no descriptor left for an event")
    }

    deinit { close(descriptor) }

    func up() { _ = eventfd_write(descriptor, 1) }

    /// The next `poll` sleeps again.
    func clear() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}
