import JobQueue
import Units

/// `1 job`, `2 jobs`.
func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// `1 job runs`, `2 jobs run`.
func running(_ number: Int) -> String { "\(count(number, "job")) \(number == 1 ? "runs" : "run")" }

/// `1 job waits`, `2 jobs wait`.
func waiting(_ number: Int) -> String { "\(count(number, "job")) \(number == 1 ? "waits" : "wait")" }

/// `1,204`.
func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
        text.append(digit)
    }
    return number < 0 ? "-" + text : text
}

/// One decimal below ten, none above.
func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths < 100 ? "\(tenths / 10).\(abs(tenths % 10))" : grouped(Int(value.rounded()))
}

/// A text from outside, safe to show: signs that move the cursor, colour the screen or turn the direction of
/// writing are spelled out.
func printable(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { shown, scalar in
        switch scalar.value {
        case 0x0A: shown += "\\n"
        case 0x09: shown += "\\t"
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
            shown += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: shown.unicodeScalars.append(scalar)
        }
    }
}

/// Bytes from outside, safe to show: as text where they are text, else each strange byte as `\x9f`.
func printable(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return printable(text) }
    return bytes.reduce(into: "") { shown, byte in
        if (0x20..<0x7F).contains(byte) {
            shown.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            let digits = String(byte, radix: 16)
            shown += "\\x" + (digits.count == 1 ? "0" : "") + digits
        }
    }
}

/// The most frequent first; of equally frequent ones in the order of their names.
func mostFrequent(_ counts: [String: Int]) -> [(name: String, count: Int)] {
    counts.map { (name: $0.key, count: $0.value) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
}

/// `8 source_not_found, 4 truncated_image`.
func list(_ counts: [String: Int]) -> String {
    mostFrequent(counts).map { "\(grouped($0.count)) \(printable($0.name))" }.joined(separator: ", ")
}

/// A moment by Redis' clock, `2026-11-30 04:33:48Z`.
func moment(_ milliseconds: Int64) -> String {
    Timestamp(milliseconds: milliseconds).rfc3339.prefix(19).replacing("T", with: " ") + "Z"
}

/// The same for programs, `2026-11-30T04:33:48.703Z`.
func rfc3339(_ milliseconds: Int64) -> String { Timestamp(milliseconds: milliseconds).rfc3339 }

/// Columns that are as wide as their widest cell, two spaces apart. The first row is the heading.
struct TextTable {
    enum Side { case left, right }

    private let sides: [Side]
    private var rows: [[String]]

    init(_ columns: [(heading: String, side: Side)]) {
        sides = columns.map(\.side)
        rows = [columns.map(\.heading)]
    }

    mutating func append(_ cells: [String]) {
        precondition(cells.count == sides.count, "a cell for each column")
        rows.append(cells)
    }

    /// One line a row; cut at `width` where one is given.
    func lines(width: Int? = nil) -> [String] {
        let widths = sides.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                if sides[column] == .right { return space + row[column] }
                return column == row.count - 1 ? row[column] : row[column] + space
            }
            let line = cells.joined(separator: "  ")
            guard let width, line.count > width else { return line }
            return line.prefix(max(0, width - 1)) + "…"
        }
    }
}
