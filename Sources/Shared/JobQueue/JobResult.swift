import FoundationEssentials

/// A fact of a failure, such as `required_bytes`.
public enum DetailValue: Sendable, Equatable, Codable {
    case integer(Int)
    case number(Double)
    case string(String)
    case flag(Bool)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .flag(let flag): try container.encode(flag)
        }
    }
}

/// The `error` of a failed job.
public struct JobFailure: Sendable, Equatable, Codable {
    public let code: ErrorCode
    public let message: String
    public let retryable: Bool
    public let detail: [String: DetailValue]

    /// The message is cut: a result is read by people, and kept by the hundred thousand.
    public static let longestMessage = 2_000

    public init(_ code: ErrorCode, _ message: String, detail: [String: DetailValue] = [:]) {
        self.code = code
        self.message = String(message.prefix(Self.longestMessage))
        retryable = code.isRetryable
        self.detail = detail
    }
}

/// What is published about a settled job: one JSON object.
///
/// `attempt` and `finishedAt` are filled in by Redis when the job is settled: only it knows them. They
/// are nil in what a worker hands over, and set in what a reader decodes.
public struct JobResult: Sendable, Equatable, Codable {
    public enum Status: String, Sendable, Codable { case done, failed }

    public struct Output: Sendable, Equatable, Codable {
        public let path: String
        public let width: Int
        public let height: Int
        public let bytes: Int
        public let scale: Double

        public init(path: String, width: Int, height: Int, bytes: Int, scale: Double) {
            (self.path, self.width, self.height, self.bytes, self.scale) = (path, width, height, bytes, scale)
        }
    }

    public struct Size: Sendable, Equatable, Codable {
        public let width: Int
        public let height: Int

        public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    public struct Orientation: Sendable, Equatable, Codable {
        /// 1–8.
        public let value: Int
        /// `exif`, `exifScan`, `xmp`, `absent` or `invalid`.
        public let from: String

        public init(value: Int, from: String) { (self.value, self.from) = (value, from) }
    }

    /// Milliseconds.
    public struct Timings: Sendable, Equatable, Codable {
        public var wait = 0.0
        public var read = 0.0
        public var decode = 0.0
        public var resample = 0.0
        public var encode = 0.0
        public var write = 0.0

        public init() {}
    }

    public var id: String
    public var status: Status
    public var source: String?
    public var outputs: [Output]?
    public var error: JobFailure?
    public var stored: Size?
    public var displayed: Size?
    public var orientation: Orientation?
    /// The decoder's scale, k/8: 0.125, 0.25, 0.5 or 1.
    public var decodeScale: Double?
    public var footprintBytes: Int?
    public var notes: [String]?
    /// Only ever true: the picture is damaged, and the worker accepts that.
    public var partial: Bool?
    public var timings: Timings?
    public var attempt: Int?
    public var worker: String?
    public var batch: String?
    public var finishedAt: String?

    public enum CodingKeys: String, CodingKey {
        case id, status, source, outputs, error, stored, displayed, orientation
        case decodeScale = "decode_scale"
        case footprintBytes = "footprint_bytes"
        case notes, partial
        case timings = "timings_ms"
        case attempt, worker, batch
        case finishedAt = "finished_at"
    }

    /// A finished job.
    public init(_ ticket: JobTicket, source: String, outputs: [Output]) {
        (id, batch, status) = (ticket.id, ticket.batch, .done)
        self.source = source
        self.outputs = outputs
    }

    /// A failed job.
    public init(_ ticket: JobTicket, source: String? = nil, error: JobFailure) {
        (id, batch, status) = (ticket.id, ticket.batch, .failed)
        self.source = source
        self.error = error
    }
}

/// The JSON of a value, with sorted keys: the same value is the same text everywhere.
func jsonText(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Results may carry timings; one that is no number must not cost the result.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
        return Array(try encoder.encode(value))
    } catch {
        preconditionFailure("plain data can always be encoded: \(error)")
    }
}

extension JobResult {
    /// Reads a published result.
    public init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(JobResult.self, from: Data(json))
    }
}

extension JobFailure {
    /// Reads the error of a buried job.
    public init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(JobFailure.self, from: Data(json))
    }
}
