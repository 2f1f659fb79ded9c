/// Where a Redis is and who we are there: `redis://user:password@host:port/database`, or
/// `unix:///path?db=n` (also `redis+unix://`).
public struct RedisAddress: Sendable, Equatable {
    public enum Endpoint: Sendable, Equatable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    public static let defaultPort: UInt16 = 6379

    public let endpoint: Endpoint
    /// Nil for the `default` user.
    public let user: String?
    public let password: String?
    public let database: Int

    public init(_ endpoint: Endpoint, user: String? = nil, password: String? = nil, database: Int = 0) {
        self.endpoint = endpoint
        self.user = user
        self.password = password
        self.database = database
    }

    /// Parses a URL; user, password, host and path may be percent-encoded.
    ///
    /// No reason for a refusal quotes any of the URL: with one sign wrong, a password stands where a port,
    /// a database or the scheme should be.
    public init(parsing url: String) throws(RedisError) {
        guard let separator = url.firstRange(of: "://") else {
            throw .badAddress(
                "it has no scheme: write redis:// before a host, as in redis://localhost:6379, or unix:// before a path"
            )
        }
        let scheme = url[..<separator.lowerBound].lowercased()
        let rest = url[separator.upperBound...]
        switch scheme {
        case "redis": self = try Self.tcp(rest)
        case "unix", "redis+unix": self = try Self.unix(rest)
        case "rediss":
            throw .badAddress(
                "rediss:// (TLS) is not supported by the client library hiredis 0.14; "
                    + "run a TLS proxy such as stunnel beside this program and connect to that")
        default: throw .badAddress("its scheme is neither redis:// nor unix://")
        }
    }

    private static func tcp(_ text: Substring) throws(RedisError) -> RedisAddress {
        let (beforeQuery, query) = split(text, at: "?")
        let (authority, path) = split(beforeQuery, at: "/")
        let (user, password, place) = try credentials(in: authority)
        let (host, port) = try hostAndPort(place)
        let database = try databaseNumber(path: path, query: query)
        return RedisAddress(
            .tcp(host: host.isEmpty ? "127.0.0.1" : host, port: port), user: user, password: password,
            database: database)
    }

    private static func unix(_ text: Substring) throws(RedisError) -> RedisAddress {
        let (beforeQuery, query) = split(text, at: "?")
        guard let slash = beforeQuery.firstIndex(of: "/") else {
            throw .badAddress("unix:// needs an absolute path, as in unix:///run/redis.sock")
        }
        let (user, password, place) = try credentials(in: beforeQuery[..<slash])
        guard place.isEmpty else {
            throw .badAddress("unix:// needs an absolute path; write three slashes, unix:///run/redis.sock")
        }
        let path = try decoded(beforeQuery[slash...], what: "path")
        // sun_path of a socket address holds 108 bytes with the NUL.
        guard path.utf8.count <= 107, !path.utf8.contains(0) else {
            throw .badAddress("a socket's path has at most 107 bytes, got \(path.utf8.count)")
        }
        let database = try databaseNumber(path: nil, query: query)
        return RedisAddress(.unix(path: path), user: user, password: password, database: database)
    }

    private static func credentials(
        in authority: Substring
    ) throws(RedisError) -> (user: String?, password: String?, place: Substring) {
        guard let at = authority.lastIndex(of: "@") else { return (nil, nil, authority) }
        let (user, password) = split(authority[..<at], at: ":")
        let name = try decoded(user, what: "user")
        let secret: String? = if let password { try decoded(password, what: "password") } else { nil }
        guard secret != nil || name.isEmpty else {
            throw .badAddress("a user needs a password: redis://user:password@host")
        }
        return (name.isEmpty ? nil : name, secret, authority[authority.index(after: at)...])
    }

    private static func hostAndPort(_ place: Substring) throws(RedisError) -> (String, UInt16) {
        var host = place
        var port: Substring?
        if place.first == "[" {  // an IPv6 address
            guard let end = place.firstIndex(of: "]") else {
                throw .badAddress("a [ without its ] in the host")
            }
            host = place[place.index(after: place.startIndex)..<end]
            let after = place[place.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { throw .badAddress("expected :port after ]") }
            port = after.isEmpty ? nil : after.dropFirst()
        } else {
            (host, port) = split(place, at: ":")
        }
        let name = try decoded(host, what: "host")
        guard let port else { return (name, defaultPort) }
        guard let number = UInt16(port), number > 0 else {
            throw .badAddress(
                "what follows the host's colon is no port of 1…65535; a password stands before an @, as in "
                    + "redis://:password@host, and its own / ? % are written %2F %3F %25")
        }
        return (name, number)
    }

    private static func databaseNumber(path: Substring?, query: Substring?) throws(RedisError) -> Int {
        var text = path.flatMap { $0.isEmpty ? nil : $0 }
        for pair in query?.split(separator: "&") ?? [] {
            let (name, value) = split(pair, at: "=")
            guard name == "db" else {
                throw .badAddress("db is the only parameter after a ?; in a password a ? is written %3F")
            }
            text = value ?? ""
        }
        guard let text else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw .badAddress(
                "what follows the host is no database, a number of 0 or more; in a password a / is written %2F"
            )
        }
        return number
    }

    private static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    private static func decoded(_ text: Substring, what: String) throws(RedisError) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { throw .badAddress("a % without two hexadecimal digits in the \(what)") }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .badAddress("the \(what) is not UTF-8")
        }
        return decoded
    }
}

extension RedisAddress: CustomStringConvertible {
    /// The address without user and password: fit for logs.
    public var description: String {
        switch endpoint {
        case .tcp(let host, let port):
            let name = host.contains(":") ? "[\(host)]" : host
            return "redis://\(name):\(port)" + (database == 0 ? "" : "/\(database)")
        case .unix(let path):
            return "unix://\(path)" + (database == 0 ? "" : "?db=\(database)")
        }
    }
}

extension RedisAddress: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
