public import CommandLineOptions
public import EventLog

/// The version of all programs of this checkout.
public let programVersion = "0.1.0"

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
