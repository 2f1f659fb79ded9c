public import CommandLineOptions
public import EventLog
public import Redis

/// The version of all programs of this checkout.
public let programVersion = "0.1.0"

/// The options that every program of the fleet has, so that they are spelled and explained once.
public enum ConnectionOptions {
    public static let redis = Option(
        "redis", .redisAddress, placeholder: "URL",
        default: RedisAddress(.tcp(host: "127.0.0.1", port: RedisAddress.defaultPort)),
        environment: "REDIS_URL",
        secret: true,
        help:
            "Where Redis listens: redis://[USER:PASSWORD@]HOST[:PORT][/DB] or unix:///path/to/socket[?db=N].")

    public static let queue = Option(
        "queue", .text(upTo: 128), placeholder: "NAME", default: "thumbnails",
        environment: "THUMBNAIL_QUEUE",
        help: "The Redis list that jobs wait in.")

    public static let group = OptionTable.Group("Redis", [redis, queue])
}

public enum LogOptions {
    public static let level = Option(
        "log-level", .choice, placeholder: "LEVEL", default: LogLevel.info,
        environment: "THUMBNAIL_LOG_LEVEL",
        help: "Log this and what is more important: error, warning, info or debug.")

    public static let format = Option(
        "log-format", .choice, placeholder: "FORMAT", default: LogFormat.auto,
        environment: "THUMBNAIL_LOG_FORMAT",
        help: "One JSON object a line, plain text, or auto: text on a terminal and JSON elsewhere.")

    public static let group = OptionTable.Group("Log", [level, format])
}

extension OptionKind where Value == RedisAddress {
    /// A Redis URL.
    static var redisAddress: Self {
        OptionKind(
            wanted: "an address such as redis://127.0.0.1:6379 or unix:///run/redis.sock",
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
