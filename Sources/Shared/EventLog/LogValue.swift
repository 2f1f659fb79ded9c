public import Units

/// The value of a field. Typed, so that a reader can compute with it and nothing is written by accident.
public enum LogValue: Sendable, Equatable {
    case string(String)
    /// Bytes that should be text but may not be; what is no UTF-8 is written as `\xNN`.
    case bytes([UInt8])
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    /// A plain number of bytes in JSON, with a unit in text.
    case size(ByteCount)
    /// Whole milliseconds in JSON, with a unit in text; the field's name ends in `_ms`.
    case duration(Duration)
    case list([String])

    /// An error's or another value's own words.
    public static func text(of value: some CustomStringConvertible) -> LogValue {
        .string(value.description)
    }

    public static func integer(_ value: Int) -> LogValue { .integer(Int64(value)) }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
