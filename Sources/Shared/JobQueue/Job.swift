import Redis

/// What every move needs to know of a job: its bytes, and the names it is counted under.
public struct JobTicket: Sendable, Equatable {
    /// As the producer pushed them. Moves find the job in a list by these bytes; nobody rewrites them.
    public let raw: [UInt8]
    /// The producer's id, else `j` and 16 digits of the SHA-1 of the bytes, or of the first 64 KiB of more.
    public let id: String
    public let batch: String?
}

/// One picture to turn into one or more thumbnails, checked.
public struct Job: Sendable, Equatable {
    public let ticket: JobTicket
    public let source: String
    /// Finite and greater than zero, in points; so are the products with each scale.
    public let pointWidth: Double
    public let pointHeight: Double
    /// 1 to 16 scales, in the producer's order.
    public let scales: [Double]
    public let output: String?
    /// 1–100.
    public let quality: Int
    /// Oddities that do no harm: unknown fields that look like a slip of a known one.
    public let notes: [String]

    public static let defaultQuality = 80
    /// Displays have one to four scales; more is a mistake.
    public static let mostScales = 16
    public static let longestName = 128
    /// Linux' own limit of a path.
    public static let longestPath = 4096
    public static let knownVersion = 1

    /// What the bytes of one list entry are.
    public enum Reading: Sendable, Equatable {
        case job(Job)
        /// For a worker that knows this version: to be released, not buried.
        case newerVersion(JobTicket, version: Int)
        /// To be buried; every problem, each with what was expected and found.
        case invalid(JobTicket, problems: [String])

        public var ticket: JobTicket {
            switch self {
            case .job(let job): job.ticket
            case .newerVersion(let ticket, _), .invalid(let ticket, _): ticket
            }
        }
    }

    /// Reads any bytes; never fails, whatever they are.
    public static func read(_ raw: [UInt8]) -> Reading {
        let hashed = JobTicket(raw: raw, id: hashID(of: raw), batch: nil)
        guard raw.count <= QueueLimits.jobBytes else {
            return .invalid(
                hashed, problems: ["expected at most \(QueueLimits.jobBytes) bytes, found \(raw.count)"])
        }
        let fields: [[UInt8]: ProducerJSON]
        do {
            guard case .object(let object) = try ProducerJSON(parsing: raw) else {
                return .invalid(hashed, problems: ["expected a JSON object, found another JSON value"])
            }
            fields = object
        } catch {
            let found =
                error.offset >= raw.count
                ? "the \(raw.count) bytes end before it does"
                : "byte \(error.offset + 1) of \(raw.count) has no place in it"
            return .invalid(hashed, problems: ["expected JSON, but \(found)"])
        }
        var reader = JobFieldReader(fields)
        let ticket = JobTicket(
            raw: raw, id: reader.name("id") ?? hashed.id, batch: reader.name("batch"))
        guard String(validating: raw, as: UTF8.self) != nil else {
            return .invalid(ticket, problems: ["expected UTF-8, found other bytes"])
        }
        let version = reader.integer("v", in: 1...Int.max) ?? knownVersion
        if version > knownVersion { return .newerVersion(ticket, version: version) }
        return reader.job(ticket)
    }

    /// Must agree with `job_id` in prelude.lua. What is too large for a job may be too large to be hashed.
    static func hashID(of raw: [UInt8]) -> String {
        let hashed = raw.count <= QueueLimits.jobBytes ? raw : Array(raw.prefix(QueueLimits.jobBytes))
        return "j" + SHA1.hexDigest(of: hashed).prefix(16)
    }
}

/// Reads the fields of one job and collects what is wrong with them.
private struct JobFieldReader {
    private let fields: [[UInt8]: ProducerJSON]
    private var problems: [String] = []

    init(_ fields: [[UInt8]: ProducerJSON]) { self.fields = fields }

    mutating func job(_ ticket: JobTicket) -> Job.Reading {
        let source = path("source", isRequired: true)
        let size = pointSize()
        let scales = scales()
        let output = path("output", isRequired: false)
        let quality = integer("quality", in: 1...100) ?? Job.defaultQuality
        if let size, let scales {
            for scale in scales {
                for (side, points) in [("width", size.width), ("height", size.height)] {
                    let pixels = points * scale
                    if !(pixels > 0 && pixels.isFinite) {
                        expected("a finite \(side) of pt × scale above 0", for: "scale", found: "\(pixels)")
                    }
                }
            }
        }
        let slips = FieldNames.slips(among: fields.keys)
        guard problems.isEmpty, let source, let size, let scales else {
            return .invalid(ticket, problems: problems + slips)
        }
        return .job(
            Job(
                ticket: ticket, source: source, pointWidth: size.width, pointHeight: size.height,
                scales: scales, output: output, quality: quality, notes: slips))
    }

    /// An id or a batch. Must agree with `name_in` in prelude.lua about what counts as one.
    mutating func name(_ field: String) -> String? {
        guard let value = self[field] else { return nil }
        if case .string(let bytes) = value, (1...Job.longestName).contains(bytes.count),
            let text = String(validating: bytes, as: UTF8.self)
        {
            return text
        }
        expected("a string of 1 to \(Job.longestName) bytes", for: field, found: Self.describe(value))
        return nil
    }

    mutating func integer(_ field: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = self[field] else { return nil }
        if case .number(let number) = value, let integer = Int(exactly: number), range.contains(integer) {
            return integer
        }
        let most =
            range.upperBound == .max
            ? "of \(range.lowerBound) or more" : "of \(range.lowerBound)…\(range.upperBound)"
        expected("an integer \(most)", for: field, found: Self.describe(value))
        return nil
    }

    private mutating func path(_ field: String, isRequired: Bool) -> String? {
        guard let value = self[field] else {
            if isRequired { expected("a path", for: field, found: "nothing") }
            return nil
        }
        if case .string(let bytes) = value, (1...Job.longestPath).contains(bytes.count), !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self)
        {
            return text
        }
        expected(
            "a path of 1 to \(Job.longestPath) bytes without NUL", for: field, found: Self.describe(value))
        return nil
    }

    private mutating func pointSize() -> (width: Double, height: Double)? {
        let form = "\"WxH\" or {\"width\":W,\"height\":H} with finite numbers above 0"
        guard let value = self["pt"] else {
            expected(form, for: "pt", found: "nothing")
            return nil
        }
        var sides: [Double?] = []
        switch value {
        case .string(let bytes):
            let parts = String(decoding: bytes, as: UTF8.self).split(
                separator: "x", omittingEmptySubsequences: false)
            sides = parts.map { Double($0) }
        case .object(let object):
            sides = ["width", "height"].map { side in
                if case .number(let number)? = object[Array(side.utf8)] { number } else { nil }
            }
        case .null, .flag, .number, .array: break
        }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            [width, height].allSatisfy({ $0.isFinite && $0 > 0 })
        else {
            expected(form, for: "pt", found: Self.describe(value))
            return nil
        }
        return (width, height)
    }

    private mutating func scales() -> [Double]? {
        let values: [ProducerJSON]
        switch self["scale"] {
        case .array(let list)?: values = list
        case let value?: values = [value]
        case nil: values = []
        }
        let scales = values.compactMap { value -> Double? in
            if case .number(let number) = value, number.isFinite, number > 0 { number } else { nil }
        }
        guard scales.count == values.count, (1...Job.mostScales).contains(scales.count) else {
            expected(
                "a finite number above 0, or 1 to \(Job.mostScales) of them", for: "scale",
                found: self["scale"].map(Self.describe) ?? "nothing")
            return nil
        }
        return scales
    }

    /// Nil for a field that is missing, or null: many serializers write null for "not set".
    private subscript(field: String) -> ProducerJSON? {
        let value = fields[Array(field.utf8)]
        return value == .null ? nil : value
    }

    private mutating func expected(_ what: String, for field: String, found: String) {
        problems.append("\(field): expected \(what), found \(found)")
    }

    /// Short, whatever the value: a result must not carry 64 KiB back.
    private static func describe(_ value: ProducerJSON) -> String {
        switch value {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let bytes) where bytes.count <= 60: "\"\(String(decoding: bytes, as: UTF8.self))\""
        case .string(let bytes): "a string of \(bytes.count) bytes"
        case .array(let values): "an array of \(values.count)"
        case .object: "an object"
        }
    }
}
