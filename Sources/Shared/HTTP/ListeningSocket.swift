internal import Glibc

/// A socket that listens, and nobody answers yet: what a program makes while it still may, before its fence.
///
/// Whoever connects waits until a server takes it over.
public struct ListeningSocket: ~Copyable, Sendable {
    /// With the port that it got.
    public let place: HostAndPort
    private var descriptor: Int32

    /// Connections that may wait to be accepted.
    private static let backlog: Int32 = 16

    /// Binds to the first of the host's addresses that can be had. Throws `unknownHost` or `cannotListen`.
    public init(on place: HostAndPort) throws(HTTPError) {
        descriptor = unsafe try Sockets.first(
            of: place, isForListening: true, orFail: { .cannotListen(place, $0) }
        ) { address in
            let descriptor = unsafe Sockets.stream(address)
            guard descriptor >= 0 else { return -1 }
            // Connections of a predecessor that still fade away do not hold the port.
            var isOn: Int32 = 1
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
            guard unsafe bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
                listen(descriptor, Self.backlog) == 0
            else { return Sockets.give(up: descriptor) }
            return descriptor
        }
        self.place = HostAndPort(host: place.host, port: Sockets.port(of: descriptor) ?? place.port)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The descriptor, for its new owner, who closes it.
    public consuming func take() -> Int32 {
        let taken = descriptor
        descriptor = -1
        return taken
    }
}
