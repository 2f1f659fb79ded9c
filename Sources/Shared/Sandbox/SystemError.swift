internal import Glibc

/// What the kernel answered: an `errno`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    public let number: Int32

    /// The kernel does not know what it was asked for.
    static let tooOld = SystemError(number: ENOSYS)

    /// The error of the call that has just failed on this thread.
    static var last: SystemError { SystemError(number: errno) }

    /// glibc's text, such as “Operation not permitted”.
    public var description: String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "\(number)"
    }
}
