internal import Glibc

/// What the kernel answered: an `errno`.
public struct SystemError: Error, Equatable, Hashable, Sendable {
    public let number: Int32

    public init(_ number: Int32) {
        self.number = number
    }

    /// EACCES or EPERM: the process lacks the right.
    public var isPermissionDenied: Bool { number == EACCES || number == EPERM }

    /// The error of the call that has just failed on this thread.
    static var last: SystemError { SystemError(errno) }
}

extension SystemError: CustomStringConvertible {
    /// glibc's text, such as “No space left on device”.
    public var description: String {
        let longest = 256
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest) { buffer in
            // Of the two strerror_r, Swift imports the POSIX one, which answers a status.
            guard let start = buffer.baseAddress, unsafe strerror_r(number, start, longest) == 0 else {
                return "error \(number)"
            }
            return unsafe String(cString: start)
        }
    }
}
