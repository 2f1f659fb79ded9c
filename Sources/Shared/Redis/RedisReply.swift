/// An answer of Redis. Strings are bytes: what was pushed comes back unchanged, UTF-8 or not.
public enum RedisReply: Sendable, Equatable {
    case bytes([UInt8])
    case status(String)
    case integer(Int64)
    case null
    /// Inside an array or a pipeline; a single call throws instead.
    case error(RedisError)
    case array([RedisReply])

    public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    public var integer: Int? { if case .integer(let number) = self { Int(exactly: number) } else { nil } }

    public var array: [RedisReply]? { if case .array(let replies) = self { replies } else { nil } }

    /// A string or a status as text, invalid UTF-8 repaired.
    public var text: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let status): status
        case .integer, .null, .error, .array: nil
        }
    }
}
