/// JSON as it is printed: members in a fixed order, nothing left out.
indirect enum JSONValue: Equatable {
    case null
    case flag(Bool)
    case integer(Int)
    /// Rounded to thousandths.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Equatable {
        let name: String
        let value: JSONValue
    }

    static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// Sorted by name.
    static func counts(_ counts: [String: Int]) -> JSONValue {
        .object(counts.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .integer($0.value)) })
    }

    /// `null` for nil.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func optional(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }
    /// In seconds.
    static func optional(_ length: Duration?) -> JSONValue {
        length.map { .number($0 / .seconds(1)) } ?? .null
    }

    /// On one line.
    var text: String {
        switch self {
        case .null: return "null"
        case .flag(let flag): return flag ? "true" : "false"
        case .integer(let number): return "\(number)"
        case .number(let number):
            // JSON has no infinity; none of our numbers is one.
            guard number.isFinite, abs(number) < 1e15 else { return "null" }
            let rounded = (number * 1_000).rounded() / 1_000
            return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
        case .string(let text): return Self.quoted(text)
        case .array(let values): return "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            return "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",")
                + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += #"\""#
            case "\\": result += #"\\"#
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
