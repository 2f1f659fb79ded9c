import Geometry

/// Writes the jobs of one run: they differ in their source alone, so all else is written once.
struct JobTemplate {
    private let before: [UInt8]
    private let after: [UInt8]

    init(pointSize: PointSize, scales: [Double], quality: Int?, batch: String?) {
        let scale =
            scales.count == 1 ? Self.number(scales[0]) : "[\(scales.map(Self.number).joined(separator: ","))]"
        var fields = [#""pt":"\#(pointSize)""#, #""scale":\#(scale)"#]
        if let quality { fields.append(#""quality":\#(quality)"#) }
        if let batch { fields.append(#""batch":"# + jsonString(batch)) }
        before = Array(#"{"source":"#.utf8)
        after = Array(("," + fields.joined(separator: ",") + "}").utf8)
    }

    /// The job for one source, as the bytes that are pushed.
    func job(source: String) -> [UInt8] {
        before + jsonString(source).utf8 + after
    }

    /// As short as it can be: `3`, not `3.0`.
    private static func number(_ value: Double) -> String {
        let text = "\(value)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// The text as a JSON string, quotes included.
func jsonString(_ text: String) -> String {
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
