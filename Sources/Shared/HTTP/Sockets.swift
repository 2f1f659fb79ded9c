internal import Glibc

/// Socket calls, which want addresses as pointers to one of several structures.
enum Sockets {
    /// Tries each address that the host has until `attempt` gives a descriptor. Throws `unknownHost`; where all
    /// fail, the last one's `errno` in the error that `failure` makes of it.
    static func first(
        of place: HostAndPort, isForListening: Bool, orFail failure: (SystemError) -> HTTPError,
        _ attempt: (UnsafePointer<addrinfo>) -> Int32
    ) throws(HTTPError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isForListening ? AI_PASSIVE : 0)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(place.host, String(place.port), &hints, &found)
        guard code == 0, let first = unsafe found else {
            throw .unknownHost(place, reason: unsafe String(cString: gai_strerror(code)))
        }
        defer { unsafe freeaddrinfo(first) }
        var reason = SystemError(number: EADDRNOTAVAIL)
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let address = unsafe next {
            let descriptor = unsafe attempt(address)
            if descriptor >= 0 { return descriptor }
            reason = .last
            unsafe next = address.pointee.ai_next
        }
        throw failure(reason)
    }

    /// A stream socket for the address, closed in programs that are started; negative with `errno`.
    static func stream(_ address: UnsafePointer<addrinfo>) -> Int32 {
        unsafe socket(
            address.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.ai_protocol)
    }

    /// Closes after a failure, which stays the one that `errno` tells of.
    static func give(up descriptor: Int32) -> Int32 {
        let reason = errno
        close(descriptor)
        errno = reason
        return -1
    }

    /// The port that a bound socket has; nil where the kernel does not tell.
    static func port(of descriptor: Int32) -> UInt16? {
        var place = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &place) { place -> UInt16? in
            let code = unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
            guard code == 0 else { return nil }
            // The port stands at the same place in both families.
            return unsafe place.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }
}
