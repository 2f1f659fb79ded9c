public import TLS

/// Where a Redis is, how to get there, and who we are there. `RedisAddress(parsing:)` has its text form.
public struct RedisAddress: Sendable, Equatable {
    public enum Endpoint: Sendable, Equatable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
        /// Wherever the primary of a group is, as its sentinels say.
        case sentinel(SentinelGroup)
    }

    public enum Transport: Sendable, Equatable {
        case plain
        /// The server proves that it is the one that was meant. Of no use on a Unix socket.
        case tls(TLSFiles)
    }

    public static let defaultPort: UInt16 = 6379

    public let endpoint: Endpoint
    public let transport: Transport
    /// Nil for the `default` user.
    public let user: String?
    public let password: String?
    public let database: Int

    public init(
        _ endpoint: Endpoint, over transport: Transport = .plain, user: String? = nil,
        password: String? = nil, database: Int = 0
    ) {
        self.endpoint = endpoint
        self.transport = transport
        self.user = user
        self.password = password
        self.database = database
    }

    /// Another database of the same server.
    public func with(database: Int) -> RedisAddress {
        RedisAddress(endpoint, over: transport, user: user, password: password, database: database)
    }

    /// The same place, over another transport.
    public func with(transport: Transport) -> RedisAddress {
        RedisAddress(endpoint, over: transport, user: user, password: password, database: database)
    }

    /// Something of it is not for other eyes, and not in its description.
    public var hasSecrets: Bool {
        if password != nil { return true }
        guard case .sentinel(let group) = endpoint else { return false }
        return group.password != nil
    }

    /// Where the files of an encrypted connection are looked for when it is made, see `TLSFiles.places`.
    public var filePlaces: [String] {
        guard case .tls(let files) = transport else { return [] }
        return files.places
    }

    /// Reads the files of an encrypted connection, so that what is wrong with them is said before anything else
    /// is done.
    public func readFiles() throws(RedisError) {
        guard case .tls(let files) = transport else { return }
        do throws(TLSError) { try files.check() } catch {
            throw .insecure(address: description, error)
        }
    }
}

/// Sentinels that watch a primary and its replicas, and name the one that is the primary now.
public struct SentinelGroup: Sendable, Equatable {
    public struct Sentinel: Sendable, Equatable {
        public let host: String
        public let port: UInt16

        public init(host: String, port: UInt16 = SentinelGroup.defaultPort) {
            self.host = host
            self.port = port
        }
    }

    public static let defaultPort: UInt16 = 26379
    /// One after the other is asked while none answers, so more of them would help nobody.
    public static let mostSentinels = 16

    /// At least one.
    public let sentinels: [Sentinel]
    /// What the sentinels call the primary, as in their `sentinel monitor`.
    public let primary: String
    /// Who we are to the sentinels; the address itself says who we are to Redis.
    public let user: String?
    public let password: String?

    public init(_ sentinels: [Sentinel], primary: String, user: String? = nil, password: String? = nil) {
        precondition(!sentinels.isEmpty, "somebody has to be asked")
        self.sentinels = sentinels
        self.primary = primary
        self.user = user
        self.password = password
    }
}

extension RedisAddress: CustomStringConvertible {
    /// The address without users and passwords: fit for logs.
    public var description: String {
        let secure = transport == .plain ? "" : "s"
        switch endpoint {
        case .tcp(let host, let port):
            return "redis\(secure)://\(Self.place(host, port))" + (database == 0 ? "" : "/\(database)")
        case .unix(let path):
            return "unix://\(path)" + (database == 0 ? "" : "?db=\(database)")
        case .sentinel(let group):
            let places = group.sentinels.map { Self.place($0.host, $0.port) }.joined(separator: ",")
            return "sentinel\(secure)://\(places)/\(Self.encoded(group.primary))"
                + (database == 0 ? "" : "/\(database)")
        }
    }

    private static func place(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension RedisAddress: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

extension SentinelGroup: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { primary }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["primary": primary]) }
}
