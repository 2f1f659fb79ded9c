#if FAILPOINTS
    internal import Synchronization
#endif

/// What a debug build can be told by tests through its environment. A release build hears nothing of it.
public enum TestBuild {
    #if FAILPOINTS
        private static let shortLease = Mutex<Duration?>(nil)
        private static let shortStall = Mutex<Duration?>(nil)

        /// Reads `THUMBNAIL_FAILPOINT`, `THUMBNAIL_TEST_LEASE_MS` and `THUMBNAIL_TEST_STALL_MS`.
        public static func configure(from environment: [String: String]) throws(FailpointError) {
            if let text = environment["THUMBNAIL_FAILPOINT"] {
                FailpointPlan.armed.arm(try FailpointPlan(text))
            }
            if let text = environment["THUMBNAIL_TEST_LEASE_MS"] {
                guard let milliseconds = Int(text), milliseconds > 0 else { throw .badLease(text) }
                shortLease.withLock { $0 = .milliseconds(milliseconds) }
            }
            if let text = environment["THUMBNAIL_TEST_STALL_MS"] {
                guard let milliseconds = Int(text), milliseconds > 0 else { throw .badLimit(text) }
                shortStall.withLock { $0 = .milliseconds(milliseconds) }
            }
        }

        /// A lease short enough to be waited for again and again; nil for that of the product.
        public static var lease: Duration? { shortLease.withLock(\.self) }

        /// A standstill short enough to be waited for; nil for that of the product.
        public static var stallLimit: Duration? { shortStall.withLock(\.self) }
    #else
        @inlinable public static func configure(from environment: [String: String]) throws(FailpointError) {}
        @inlinable public static var lease: Duration? { nil }
        @inlinable public static var stallLimit: Duration? { nil }
    #endif
}

/// A test asked for something that there is not.
public enum FailpointError: Error, CustomStringConvertible {
    case unknownName(String)
    case unknownAction(String)
    case badCount(String)
    case badLease(String)
    case badLimit(String)

    public var description: String {
        #if FAILPOINTS
            let names = Failpoint.allCases.map(\.rawValue).joined(separator: ", ")
            let actions = FailpointPlan.Action.allCases.map(\.rawValue).joined(separator: ", ")
            return switch self {
            case .unknownName(let part): "\"\(part)\" names no failpoint; there are \(names)"
            case .unknownAction(let part): "\"\(part)\" asks for no action; there are \(actions)"
            case .badCount(let part): "\"\(part)\" counts wrong; after @ stands a number of 1 or more"
            case .badLease(let text): "\"\(text)\" is no lease in milliseconds"
            case .badLimit(let text): "\"\(text)\" is no limit in milliseconds"
            }
        #else
            return "there are no failpoints in this build"
        #endif
    }
}
