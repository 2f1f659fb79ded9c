import Glibc

/// A JSON value as a producer wrote it. Strings are bytes: whether they are UTF-8 is asked later.
enum ProducerJSON: Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case string([UInt8])
    case array([ProducerJSON])
    case object([[UInt8]: ProducerJSON])

    /// Where the text stops being JSON, counted in bytes from 0.
    struct Malformed: Error, Equatable { let offset: Int }

    /// As deep as Redis' parser goes.
    static let deepest = 1_000

    /// Reads `text` exactly as lenient as the JSON parser inside Redis (lua-cjson 2.1): control
    /// characters in strings, NaN, hexadecimal numbers and leading zeros pass, the last of two equal
    /// names wins, a NUL ends the text. The id of a job must not depend on who reads it, a worker or the
    /// script that reclaims a dead worker's jobs; a test compares the two over mutated JSON.
    init(parsing text: [UInt8]) throws(Malformed) {
        if text.count >= 2 && (text[0] == 0 || text[1] == 0) { throw Malformed(offset: 0) }
        var parser = ProducerJSONParser(text)
        self = try parser.parse()
    }
}

/// The parser keeps its own stack: a text of 64 KiB may nest deeper than a thread's stack is large.
private struct ProducerJSONParser {
    /// A container whose end has not come yet.
    private struct Open {
        var values: [ProducerJSON] = []
        var fields: [[UInt8]: ProducerJSON] = [:]
        /// Of the field whose value comes next; nil in an array.
        var name: [UInt8]?

        mutating func append(_ value: ProducerJSON) {
            if let name { fields[name] = value } else { values.append(value) }
        }

        var whole: ProducerJSON { name == nil ? .array(values) : .object(fields) }
    }

    /// The text and a NUL, which cjson's C code also reads as the end.
    private let text: [UInt8]
    private var at = 0
    private var open: [Open] = []

    init(_ text: [UInt8]) { self.text = text + [0] }

    mutating func parse() throws(ProducerJSON.Malformed) -> ProducerJSON {
        var value = try beginValue()
        while true {
            // Nil: a container was opened, and its first value comes next.
            guard let finished = value else {
                value = try beginValue()
                continue
            }
            guard !open.isEmpty else {
                guard next() == 0 else { throw malformed() }
                return finished
            }
            value = try append(finished)
        }
    }

    /// Reads a scalar or an empty container; opens any other container and returns nil.
    private mutating func beginValue() throws(ProducerJSON.Malformed) -> ProducerJSON? {
        switch next() {
        case UInt8(ascii: "{"):
            at += 1
            try checkDepth()
            if next() == UInt8(ascii: "}") {
                at += 1
                return .object([:])
            }
            open.append(Open(name: try name()))
            return nil
        case UInt8(ascii: "["):
            at += 1
            try checkDepth()
            if next() == UInt8(ascii: "]") {
                at += 1
                return .array([])
            }
            open.append(Open())
            return nil
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default:
            if skip("true") { return .flag(true) }
            if skip("false") { return .flag(false) }
            if skip("null") { return .null }
            guard startsLikeNumber() else { throw malformed() }
            return .number(try number())
        }
    }

    /// Puts a value into the innermost container; returns the container when that ends it, nil when more follows.
    ///
    /// In place: taken out and put back, a container would be copied for each of its values, and 64 KiB of
    /// them took seconds.
    private mutating func append(_ value: ProducerJSON) throws(ProducerJSON.Malformed) -> ProducerJSON? {
        let innermost = open.count - 1
        let isObject = open[innermost].name != nil
        open[innermost].append(value)
        switch next() {
        case UInt8(ascii: ","):
            at += 1
            if isObject { open[innermost].name = try name() }
            return nil
        case UInt8(ascii: isObject ? "}" : "]"):
            at += 1
            return open.removeLast().whole
        default: throw malformed()
        }
    }

    private mutating func name() throws(ProducerJSON.Malformed) -> [UInt8] {
        guard next() == UInt8(ascii: "\"") else { throw malformed() }
        let name = try string()
        guard next() == UInt8(ascii: ":") else { throw malformed() }
        at += 1
        return name
    }

    private mutating func string() throws(ProducerJSON.Malformed) -> [UInt8] {
        at += 1
        var bytes: [UInt8] = []
        while text[at] != UInt8(ascii: "\"") {
            let byte = text[at]
            if byte == 0 { throw malformed() }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                at += 1
                continue
            }
            switch text[at + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(text[at + 1])
            case UInt8(ascii: "b"): bytes.append(8)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "f"): bytes.append(12)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "u"):
                let (scalar, length) = try escapedScalar()
                bytes.append(contentsOf: String(scalar).utf8)
                at += length
                continue
            default: throw malformed()
            }
            at += 2
        }
        at += 1
        return bytes
    }

    /// The scalar of `\uXXXX`, or of a pair of surrogates, and the length of what spells it.
    private func escapedScalar() throws(ProducerJSON.Malformed) -> (Unicode.Scalar, Int) {
        guard let first = hexadecimal(at: at + 2) else { throw malformed() }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard first & 0x400 == 0, text[at + 6] == UInt8(ascii: "\\"), text[at + 7] == UInt8(ascii: "u"),
            let second = hexadecimal(at: at + 8), second & 0xFC00 == 0xDC00,
            let scalar = Unicode.Scalar((first & 0x3FF) << 10 + (second & 0x3FF) + 0x10000)
        else { throw malformed() }
        return (scalar, 12)
    }

    private func hexadecimal(at start: Int) -> UInt32? {
        guard start + 4 <= text.count else { return nil }
        var value: UInt32 = 0
        for byte in text[start..<start + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// What cjson hands to strtod although it is no JSON number.
    private func startsLikeNumber() -> Bool {
        if text[at] == UInt8(ascii: "+") { return true }
        let word = String(decoding: text[at..<min(at + 3, text.count)], as: UTF8.self).lowercased()
        return word == "inf" || word == "nan"
    }

    private mutating func number() throws(ProducerJSON.Malformed) -> Double {
        let (value, length) = unsafe text.withUnsafeBytes { bytes in
            // The NUL at the end keeps strtod inside.
            let start = unsafe bytes.baseAddress!.advanced(by: at).assumingMemoryBound(to: CChar.self)
            var end: UnsafeMutablePointer<CChar>?
            let value = unsafe strtod(start, &end)
            return (value, unsafe end.map { unsafe UnsafePointer($0) - start } ?? 0)
        }
        guard length > 0 else { throw malformed() }
        at += length
        return value
    }

    /// The next byte that is no white space; 0 at the end.
    private mutating func next() -> UInt8 {
        while [0x20, 0x09, 0x0A, 0x0D].contains(text[at]) { at += 1 }
        return text[at]
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let word = Array(word.description.utf8)
        guard text[at...].starts(with: word) else { return false }
        at += word.count
        return true
    }

    private func checkDepth() throws(ProducerJSON.Malformed) {
        guard open.count < ProducerJSON.deepest else { throw malformed() }
    }

    private func malformed() -> ProducerJSON.Malformed { ProducerJSON.Malformed(offset: at) }
}
