internal import Glibc

/// What can go wrong with a server of pages, or with asking one.
public enum HTTPError: Error, Equatable, Sendable {
    /// The host has no address; the resolver's reason.
    case unknownHost(HostAndPort, reason: String)
    case cannotListen(HostAndPort, SystemError)
    /// The library refused, as without memory or threads.
    case cannotServe(HostAndPort)
    case cannotConnect(HostAndPort, SystemError)
    /// Connected, and then no whole answer came in time.
    case noAnswer(HostAndPort, within: Duration)
    /// What came is not HTTP.
    case notHTTP(HostAndPort)

    /// Somebody else listens there.
    public var isAddressInUse: Bool {
        if case .cannotListen(_, let reason) = self { reason.number == EADDRINUSE } else { false }
    }
}

extension HTTPError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownHost(let place, let reason): "\(place) is not known here: \(reason)"
        case .cannotListen(let place, let reason): "cannot listen on \(place): \(reason)"
        case .cannotServe(let place): "no server could be started on \(place)"
        case .cannotConnect(let place, let reason): "nobody answers at \(place): \(reason)"
        case .noAnswer(let place, let limit): "no answer from \(place) within \(limit.components.seconds) s"
        case .notHTTP(let place): "what listens on \(place) does not speak HTTP"
        }
    }
}

/// What the kernel answered: an `errno`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    public let number: Int32

    public init(number: Int32) { self.number = number }

    /// The error of the call that has just failed on this thread.
    static var last: SystemError { SystemError(number: errno) }

    /// glibc's text, such as “Address already in use”.
    public var description: String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "\(number)"
    }
}
