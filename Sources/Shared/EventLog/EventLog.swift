public import Units

/// Writes events, one a line: a JSON object with `time`, `level`, `event` and the event's own fields, or
/// plain text on a terminal.
///
/// ```swift
/// log.info("job.finished", ["id": .string(job.id), "bytes": .size(written)])
/// ```
///
/// Names of events and fields are literals, so that they stay stable and no data becomes a name. Logging
/// never waits for who reads the log (see `LogOutput`), so it may be done from anywhere.
public struct EventLog: Sendable {
    /// Events less important than this are not written.
    public let level: LogLevel

    private let style: LogStyle
    private let output: LogOutput
    private let now: @Sendable () -> Timestamp
    private var context: [(name: StaticString, value: LogValue)] = []

    /// Writes to a descriptor, standard error unless told otherwise, which stays the caller's.
    /// `environment` is asked for `TERM` and `NO_COLOR`.
    public init(
        level: LogLevel = .info, format: LogFormat = .auto, descriptor: Int32 = 2,
        environment: [String: String] = [:], now: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        self.level = level
        self.now = now
        output = LogOutput(descriptor: descriptor)
        style = LogStyle(format, isTerminal: output.isTerminal, environment: environment)
    }

    public func error(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.error, event, fields)
    }

    public func warning(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.warning, event, fields)
    }

    public func info(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.info, event, fields)
    }

    public func debug(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.debug, event, fields)
    }

    /// The same log, with these fields on every line.
    public func with(_ fields: LogFields) -> EventLog {
        var log = self
        log.context += fields.map { (name: $0.key, value: $0.value) }
        return log
    }

    /// Waits until all lines are out, `limit` at most; false when some are left. For the end of a program:
    /// it blocks.
    @discardableResult
    public func flush(within limit: Duration) -> Bool {
        output.flush(within: limit)
    }

    private func write(_ level: LogLevel, _ event: StaticString, _ fields: () -> LogFields) {
        guard level <= self.level else { return }
        let line = LogLine(
            time: now(), level: level, event: event,
            fields: context + fields().map { (name: $0.key, value: $0.value) })
        let lost = output.write(line.bytes(in: style))
        guard lost > 0 else { return }
        let confession = LogLine(
            time: now(), level: .warning, event: "log.dropped", fields: [("lines", .integer(Int64(lost)))])
        _ = output.write(confession.bytes(in: style))
    }
}

/// The fields of an event, in the order in which they are written.
public typealias LogFields = KeyValuePairs<StaticString, LogValue>

/// How important an event is; `error` is the most important and comes first.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// Somebody has to do something.
    case error
    /// It goes on, but not as it should.
    case warning
    /// What is needed to follow a job and a worker.
    case info
    /// What is needed to follow the code.
    case debug

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }
}

/// What a line looks like. `auto` is text on a terminal and JSON elsewhere.
public enum LogFormat: String, CaseIterable, Sendable {
    case auto, json, text
}

/// A format after the terminal was looked at.
enum LogStyle: Equatable {
    case json, plain, coloured

    init(_ format: LogFormat, isTerminal: Bool, environment: [String: String]) {
        switch format {
        case .json: self = .json
        case .auto where !isTerminal: self = .json
        case .auto, .text:
            // no-color.org: any value but an empty one.
            let refused = !(environment["NO_COLOR"] ?? "").isEmpty
            let terminal = environment["TERM"] ?? ""
            self = isTerminal && !refused && !terminal.isEmpty && terminal != "dumb" ? .coloured : .plain
        }
    }
}
