internal import Units

/// One event as one line.
struct LogLine {
    /// What Linux writes into a pipe in one piece (PIPE_BUF): lines of several processes that share one
    /// pipe never mix. It also bounds what a job's own texts can put into a log.
    static let longest = 4096

    /// The longest text of one field, as it is written.
    static let longestText = 1024

    let time: Timestamp
    let level: LogLevel
    let event: StaticString
    let fields: [(name: StaticString, value: LogValue)]

    /// The line with its closing newline. Fields for which no room is left are dropped, and a field
    /// `clipped` says so.
    func bytes(in style: LogStyle) -> [UInt8] {
        style == .json ? json : text(coloured: style == .coloured)
    }

    private var json: [UInt8] {
        let head = #"{"time":"\#(time.rfc3339)","level":"\#(level.rawValue)","event":\#(quoted("\(event)"))"#
        return assembled(head, clipped: #","clipped":true"#, tail: "}\n") { name, value in
            ",\(quoted("\(name)")):\(value.json)"
        }
    }

    private func text(coloured: Bool) -> [UInt8] {
        let (start, end) = coloured ? (level.colour, "\u{1B}[0m") : ("", "")
        let padding = String(repeating: " ", count: 8 - level.rawValue.count)
        let head = "\(time.rfc3339) \(start)\(level.rawValue)\(end)\(padding)\(event)"
        return assembled(head, clipped: " clipped=true", tail: "\n") { name, value in
            " \(name)=\(value.text)"
        }
    }

    private func assembled(
        _ head: String, clipped: String, tail: String, field: (StaticString, LogValue) -> String
    ) -> [UInt8] {
        var line = Array(head.utf8)
        let room = Self.longest - clipped.utf8.count - tail.utf8.count
        var isClipped = false
        for (name, value) in fields {
            let rendered = field(name, value).utf8
            if line.count + rendered.count <= room { line += rendered } else { isClipped = true }
        }
        return line + (isClipped ? clipped.utf8 : "".utf8) + tail.utf8
    }
}

extension LogLevel {
    fileprivate var colour: String {
        switch self {
        case .error: "\u{1B}[31m"
        case .warning: "\u{1B}[33m"
        case .info: "\u{1B}[32m"
        case .debug: "\u{1B}[2m"
        }
    }
}

extension LogValue {
    fileprivate var json: String {
        switch self {
        case .string(let text): quoted(text)
        case .bytes(let bytes): quoted(readable(bytes))
        case .integer(let value): "\(value)"
        // JSON has no infinity and no NaN.
        case .number(let value): value.isFinite ? "\(value)" : quoted("\(value)")
        case .bool(let value): "\(value)"
        case .size(let amount): "\(amount.bytes)"
        case .duration(let length): "\(length.wholeMilliseconds)"
        case .list(let items): listed(items, quoted)
        }
    }

    fileprivate var text: String {
        switch self {
        case .string(let text): bareOrQuoted(text)
        case .bytes(let bytes): bareOrQuoted(readable(bytes))
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .size(let amount): bareOrQuoted(amount.description)
        case .duration(let length): bareOrQuoted(length.shortText)
        case .list(let items): listed(items, bareOrQuoted)
        }
    }
}

/// A JSON string, at most `longestText` bytes and a closing “…”.
private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        let escape = escape(for: scalar)
        let length = escape?.utf8.count ?? UTF8.width(scalar)
        guard result.utf8.count + length <= LogLine.longestText else { return result + "…\"" }
        if let escape { result += escape } else { result.unicodeScalars.append(scalar) }
    }
    return result + "\""
}

/// A list's items, as many as fit into `longestText` bytes, and a closing “…” for the others.
private func listed(_ items: [String], _ render: (String) -> String) -> String {
    var result = "["
    for item in items {
        let separator = result.utf8.count == 1 ? "" : ","
        let piece = separator + render(item)
        guard result.utf8.count + piece.utf8.count <= LogLine.longestText else {
            return result + separator + "\"…\"]"
        }
        result += piece
    }
    return result + "]"
}

private func bareOrQuoted(_ text: String) -> String {
    let quoted = quoted(text)
    let needsQuotes =
        text.isEmpty || quoted.utf8.count != text.utf8.count + 2
        || text.utf8.contains { [UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: ",")].contains($0) }
    return needsQuotes ? quoted : text
}

/// Escapes what JSON demands, and what could move a terminal's cursor, colour it or turn text around:
/// file names come from strangers and logs are read on terminals.
private func escape(for scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\"": #"\""#
    case "\\": #"\\"#
    case "\n": #"\n"#
    case "\r": #"\r"#
    case "\t": #"\t"#
    case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        "\\u" + hexadecimal(scalar.value, digits: 4)
    default: nil
    }
}

/// The bytes as text; each byte that is no part of UTF-8 as `\xNN`.
private func readable(_ bytes: [UInt8]) -> String {
    var text = ""
    var rest = bytes[...]
    while let first = rest.first {
        // The longest well-formed scalar has four bytes.
        let length = (1...min(4, rest.count)).first {
            String(validating: rest.prefix($0), as: UTF8.self) != nil
        }
        if let length {
            text += String(decoding: rest.prefix(length), as: UTF8.self)
            rest = rest.dropFirst(length)
        } else {
            text += "\\x" + hexadecimal(UInt32(first), digits: 2)
            rest = rest.dropFirst()
        }
        // Far more than a field may have: the rest would be cut anyway.
        if text.utf8.count > 2 * LogLine.longestText { break }
    }
    return text
}

private func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
