public import TLS

/// Why a call on Redis has no answer.
public enum RedisError: Error, Sendable, Equatable {
    /// The URL of the server cannot be used; says what was expected.
    case badAddress(String)
    /// No connection could be made.
    case unreachable(address: String, reason: String)
    /// A connection was made and nobody greeted back: Redis is stopped or busy, or something is in between.
    case silent(address: String, after: Duration)
    /// There is no connection that only the server and we can read, and nothing was told to anybody.
    case insecure(address: String, TLSError)
    /// Not one of a group's sentinels knows a primary of this name.
    case unknownPrimary(address: String, name: String)
    /// No complete answer within the call's limit. The command may have run.
    case timedOut(after: Duration)
    /// The connection broke during the call. The command may have run.
    case connectionLost(reason: String)
    /// The server does not know us, or not for this command.
    case authenticationFailed(String)
    case forbidden(String)
    /// The server is up yet not able to serve now; the command did not run.
    case notServing(ServerState, String)
    /// `maxmemory` is reached and the command would write.
    case outOfMemory(String)
    case noScript
    /// A key holds another type than ours.
    case wrongType(String)
    /// Any other error reply, as the server words it.
    case server(String)
    /// The reply is of another shape than the command promises.
    case unexpectedReply(String)
    /// The reply holds a string longer than `RedisLimits.longestString`. The command ran.
    case replyTooLong(limit: Int)
    /// The client was closed, or the waiting task cancelled, before the command was sent.
    case cancelled

    /// States of a server that pass: each of them means connecting anew, since the name may by then
    /// lead to another server. A replica's connection looks healthy for ever and answers READONLY.
    public enum ServerState: String, Sendable, CaseIterable {
        case readOnly = "READONLY"
        case unblocked = "UNBLOCKED"
        case loading = "LOADING"
        case masterDown = "MASTERDOWN"
        case tooFewReplicas = "NOREPLICAS"
        case clusterDown = "CLUSTERDOWN"
        case tryAgain = "TRYAGAIN"
        case cannotPersist = "MISCONF"
        case busyWithScript = "BUSY"
        case tooManyClients = "ERR max number of clients reached"
    }

    /// What NOPERM becomes inside a script: in Redis 7.0, and later.
    private static let refusalsInScripts = [
        "ERR The user executing the script can't ", "ERR ACL failure in script",
    ]

    /// An error reply, told apart by its first word, which is Redis' protocol; the rest is prose.
    init(reply text: String) {
        if let state = ServerState.allCases.first(where: { (text + " ").hasPrefix($0.rawValue + " ") }) {
            self = .notServing(state, text)
            return
        }
        if Self.refusalsInScripts.contains(where: text.hasPrefix) {
            self = .forbidden(text)
            return
        }
        switch text.prefix(while: { $0 != " " }) {
        case "NOAUTH", "WRONGPASS": self = .authenticationFailed(text)
        case "NOPERM": self = .forbidden(text)
        case "OOM": self = .outOfMemory(text)
        case "NOSCRIPT": self = .noScript
        // A script's error goes on with the script's digest and line, which are nobody's business.
        case "WRONGTYPE":
            self = .wrongType(text.firstRange(of: " script: ").map { String(text[..<$0.lowerBound]) } ?? text)
        default: self = .server(text)
        }
    }

    /// Redis is away; the same call may work later.
    public var isOutage: Bool {
        switch self {
        case .unreachable, .silent, .timedOut, .connectionLost, .notServing: true
        case .badAddress, .insecure, .unknownPrimary, .authenticationFailed, .forbidden, .outOfMemory,
            .noScript, .wrongType, .server, .unexpectedReply,
            .replyTooLong, .cancelled:
            false
        }
    }

    /// Our configuration or our code is wrong; waiting will not help.
    public var isOurFault: Bool {
        switch self {
        case .badAddress, .insecure, .unknownPrimary, .authenticationFailed, .forbidden, .noScript,
            .wrongType, .server, .unexpectedReply:
            true
        case .unreachable, .silent, .timedOut, .connectionLost, .notServing, .outOfMemory, .replyTooLong,
            .cancelled:
            false
        }
    }

    /// What tells one lasting trouble from another. An ordinary outage has many faces, refused, reset and
    /// loading, and is one.
    enum Family: Hashable, Sendable { case away, security, authentication, permission, full, other }

    var family: Family {
        switch self {
        case .unreachable, .silent, .timedOut, .connectionLost, .notServing, .cancelled: .away
        case .insecure: .security
        case .authenticationFailed: .authentication
        case .forbidden: .permission
        case .outOfMemory: .full
        case .badAddress, .unknownPrimary, .noScript, .wrongType, .server, .unexpectedReply,
            .replyTooLong:
            .other
        }
    }

    /// The connection can no longer be trusted: bytes of an old answer may still arrive on it, or it
    /// leads to a server that cannot serve.
    var endsConnection: Bool { if case .insecure = self { true } else { isOutage } }

    /// The command may have run although there is no answer.
    public var isAmbiguous: Bool {
        switch self {
        case .timedOut, .connectionLost, .replyTooLong: true
        default: false
        }
    }
}

extension RedisError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badAddress(let problem): "unusable Redis address: \(problem)"
        case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
        case .silent(let address, let limit):
            "\(address) takes connections and does not answer within \(limit)"
        case .insecure(let address, let problem):
            (address.isEmpty ? "the connection to Redis" : address) + " is not used: \(problem)"
        case .unknownPrimary(let address, let name):
            "\(address) has no primary: its sentinels watch none of the name “\(name)”"
        case .timedOut(let limit): "Redis did not answer within \(limit)"
        case .connectionLost(let reason): "the connection to Redis broke: \(reason)"
        case .authenticationFailed(let text): "Redis refused the user or the password: \(text)"
        case .forbidden(let text): "the Redis user may not do this: \(text)"
        case .notServing(_, let text): "Redis cannot serve now: \(text)"
        case .outOfMemory(let text): "Redis has reached its maxmemory: \(text)"
        case .noScript: "Redis does not know the script"
        case .wrongType(let text), .server(let text): "Redis answered: \(text)"
        case .unexpectedReply(let what): "Redis answered in an unexpected shape: \(what)"
        case .replyTooLong(let limit): "Redis answered with more than \(limit) bytes"
        case .cancelled: "the call was cancelled before it was sent"
        }
    }
}
