import TLS

extension RedisAddress {
    /// Parses a URL; users, passwords, hosts, names and paths may be percent-encoded:
    ///
    /// - `redis://[user:password@]host[:port][/database]`, and with TLS `rediss://…`,
    /// - `unix://[user:password@]/path[?db=n]`, also `redis+unix://…`,
    /// - `sentinel://[user:password@]host[:port],…/name[/database]`, and with TLS to the sentinels and to Redis
    ///   `sentinels://…`. User and password are those of Redis; `?sentinel_user=…&sentinel_password=…` are those
    ///   of the sentinels.
    ///
    /// The database may also be written as `?db=n`. TLS trusts the system's authorities.
    ///
    /// No reason for a refusal quotes any of the URL: with one sign wrong, a password stands where a port,
    /// a database or the scheme should be.
    public init(parsing url: String) throws(RedisError) {
        guard let separator = url.firstRange(of: "://") else {
            throw .badAddress(
                "it has no scheme: write redis:// before a host, as in redis://localhost:6379, or unix:// before a path"
            )
        }
        let rest = url[separator.upperBound...]
        switch url[..<separator.lowerBound].lowercased() {
        case "redis": self = try Self.tcp(rest, over: .plain)
        case "rediss": self = try Self.tcp(rest, over: .tls(TLSFiles()))
        case "unix", "redis+unix": self = try Self.unix(rest)
        case "sentinel": self = try Self.sentinel(rest, over: .plain)
        case "sentinels": self = try Self.sentinel(rest, over: .tls(TLSFiles()))
        default: throw .badAddress("its scheme is none of redis, rediss, unix, sentinel and sentinels")
        }
    }

    private static func tcp(_ text: Substring, over transport: Transport) throws(RedisError) -> RedisAddress {
        let (beforeQuery, query) = split(text, at: "?")
        let (authority, path) = split(beforeQuery, at: "/")
        let (user, password, place) = try credentials(in: authority)
        guard !place.contains(",") else {
            throw .badAddress("it names several hosts, which only sentinel:// does")
        }
        let (host, port) = try hostAndPort(place, usually: defaultPort)
        return RedisAddress(
            .tcp(host: host.isEmpty ? "127.0.0.1" : host, port: port), over: transport, user: user,
            password: password, database: try databaseNumber(path: path, in: try parameters(query)))
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
        return RedisAddress(
            .unix(path: path), user: user, password: password,
            database: try databaseNumber(path: nil, in: try parameters(query)))
    }

    private static func sentinel(
        _ text: Substring, over transport: Transport
    ) throws(RedisError) -> RedisAddress {
        let (beforeQuery, query) = split(text, at: "?")
        let (authority, path) = split(beforeQuery, at: "/")
        let (user, password, places) = try credentials(in: authority)
        var sentinels: [SentinelGroup.Sentinel] = []
        for place in places.split(separator: ",", omittingEmptySubsequences: false) {
            let (host, port) = try hostAndPort(place, usually: SentinelGroup.defaultPort)
            guard !host.isEmpty else {
                throw .badAddress("sentinel:// needs hosts, as in sentinel://one:26379,two:26379/mymaster")
            }
            sentinels.append(SentinelGroup.Sentinel(host: host, port: port))
        }
        guard sentinels.count <= SentinelGroup.mostSentinels else {
            throw .badAddress(
                "it names \(sentinels.count) sentinels; \(SentinelGroup.mostSentinels) is the most")
        }
        let (nameText, databaseText) = split(path ?? "", at: "/")
        let name = try decoded(nameText, what: "primary's name")
        guard !name.isEmpty else {
            throw .badAddress(
                "sentinel:// needs the primary's name after a slash, as in sentinel://host/mymaster")
        }
        let parameters = try parameters(query, known: ["db", "sentinel_user", "sentinel_password"])
        let sentinelUser = try parameters["sentinel_user"].map { value throws(RedisError) in
            try decoded(value, what: "sentinels' user")
        }
        let sentinelPassword = try parameters["sentinel_password"].map { value throws(RedisError) in
            try decoded(value, what: "sentinels' password")
        }
        guard sentinelUser == nil || sentinelPassword != nil else {
            throw .badAddress("sentinel_user needs sentinel_password beside it")
        }
        return RedisAddress(
            .sentinel(
                SentinelGroup(
                    sentinels, primary: name, user: sentinelUser, password: sentinelPassword)),
            over: transport, user: user, password: password,
            database: try databaseNumber(path: databaseText, in: parameters))
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

    private static func hostAndPort(
        _ place: Substring, usually usualPort: UInt16
    ) throws(RedisError) -> (String, UInt16) {
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
        guard let port else { return (name, usualPort) }
        guard let number = UInt16(port), number > 0 else {
            throw .badAddress(
                "what follows the host's colon is no port of 1…65535; a password stands before an @, as in "
                    + "redis://:password@host, and its own / ? % are written %2F %3F %25")
        }
        return (name, number)
    }

    /// What follows a `?`, by name; the last counts.
    private static func parameters(
        _ query: Substring?, known: Set<String> = ["db"]
    ) throws(RedisError) -> [String: Substring] {
        var parameters: [String: Substring] = [:]
        for pair in query?.split(separator: "&") ?? [] {
            let (name, value) = split(pair, at: "=")
            guard known.contains(String(name)) else {
                let names = known.sorted().joined(separator: ", ")
                throw .badAddress(
                    (known.count == 1 ? "\(names) is the only parameter" : "\(names) are the only parameters")
                        + " after a ?; in a password a ? is written %3F")
            }
            parameters[String(name)] = value ?? ""
        }
        return parameters
    }

    private static func databaseNumber(
        path: Substring?, in parameters: [String: Substring]
    ) throws(RedisError) -> Int {
        guard let text = parameters["db"] ?? path.flatMap({ $0.isEmpty ? nil : $0 }) else { return 0 }
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

    /// What `decoded` undoes; only letters, digits and `-._~` stay as they are.
    static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(Character(UnicodeScalar(byte)))
            default:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
