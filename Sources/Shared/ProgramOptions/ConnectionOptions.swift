public import CommandLineOptions
public import Redis
internal import TLS

/// The options that every program of the fleet has, so that they are spelled and explained once.
public enum ConnectionOptions {
    static let redis = Option(
        "redis", .redisAddress, placeholder: "URL",
        default: RedisAddress(.tcp(host: "127.0.0.1", port: RedisAddress.defaultPort)),
        environment: "REDIS_URL",
        secret: true,
        help:
            "Where Redis listens: redis://[USER:PASSWORD@]HOST[:PORT][/DB], with TLS rediss://…; "
            + "unix:///path/to/socket[?db=N]; or sentinel://HOST[:PORT],…/NAME[/DB], where Sentinel names the "
            + "primary, with TLS sentinels://….")

    static let authorities = Option(
        optional: "redis-ca", .file, placeholder: "FILE", defaultText: "the system's",
        environment: "THUMBNAIL_REDIS_CA",
        help: "Certificates (PEM) of the authorities that may vouch for Redis with TLS.")

    static let certificate = Option(
        optional: "redis-cert", .file, placeholder: "FILE", environment: "THUMBNAIL_REDIS_CERT",
        help: "Our own certificate (PEM, with its chain), where Redis demands one.")

    static let key = Option(
        optional: "redis-key", .file, placeholder: "FILE", environment: "THUMBNAIL_REDIS_KEY",
        help: "The key (PEM, no passphrase) of --redis-cert.")

    public static let queue = Option(
        "queue", .text(upTo: 128), placeholder: "NAME", default: "thumbnails",
        environment: "THUMBNAIL_QUEUE",
        help: "The Redis list that jobs wait in.")

    /// What all programs can be told about Redis. `address(in:)` reads it.
    public static let ofRedis: [any OptionDeclaration] = [redis, authorities, certificate, key]

    /// Where Redis is, and how to get there. Reads no file.
    public static func address(in values: OptionValues) throws(UsageError) -> RedisAddress {
        let address = values[redis]
        var problems: [OptionProblem] = []
        guard case .tls = address.transport else {
            for option in [authorities, certificate, key] where values[option] != nil {
                problems.append(
                    .combination(
                        "--\(option.facts.name): is about TLS, and \(address) has none: write rediss:// or "
                            + "sentinels://, or leave it out"))
            }
            guard problems.isEmpty else { throw UsageError(problems) }
            return address
        }
        var identity: TLSFiles.Identity?
        switch (values[certificate], values[key]) {
        case (let certificate?, let key?): identity = TLSFiles.Identity(certificate: certificate, key: key)
        case (nil, nil): break
        case (_?, nil): problems.append(.combination("--redis-cert: needs --redis-key beside it"))
        case (nil, _?): problems.append(.combination("--redis-key: needs --redis-cert beside it"))
        }
        guard problems.isEmpty else { throw UsageError(problems) }
        return address.with(
            transport: .tls(TLSFiles(authorities: values[authorities], identity: identity)))
    }

    /// Who named the address.
    public static func origin(of values: OptionValues) -> GivenValue.Origin? { values.origin(of: redis) }

    /// The words that name the same Redis to another program of the fleet, to be copied: none for the usual one.
    /// A password has no place in a command line: with one, REDIS_URL names the server for both.
    public static func words(for address: RedisAddress) -> [String] {
        let usual = RedisAddress(.tcp(host: "127.0.0.1", port: RedisAddress.defaultPort))
        guard address != usual else { return [] }
        var words = address.hasSecrets ? [] : ["--redis", address.description]
        if case .tls(let files) = address.transport {
            if let file = files.authorities { words += ["--redis-ca", file] }
            if let identity = files.identity {
                words += ["--redis-cert", identity.certificate, "--redis-key", identity.key]
            }
        }
        return words
    }
}

extension OptionKind where Value == RedisAddress {
    /// A Redis URL.
    static var redisAddress: Self {
        OptionKind(
            wanted:
                "an address such as redis://127.0.0.1:6379, rediss://redis.example.org or unix:///run/redis.sock",
            parse: { text in
                do throws(RedisError) {
                    return .value(try RedisAddress(parsing: text))
                } catch {
                    guard case .badAddress(let reason) = error else { return .wrong(because: nil) }
                    return .wrong(because: reason)
                }
            },
            text: { $0.description })
    }
}
