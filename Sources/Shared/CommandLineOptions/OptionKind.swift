public import Units

/// What an option's value looks like: how to read it, what to ask for when it cannot be read, and how to
/// write a default.
public struct OptionKind<Value: Sendable>: Sendable {
    /// A noun phrase that completes “expected …”, with an example.
    public let wanted: String
    public let completion: Completion
    let parse: @Sendable (String) -> ParsedValue<Value>
    let text: @Sendable (Value) -> String

    /// The value that a text means.
    public func read(_ text: String) -> ParsedValue<Value> { parse(text) }

    /// A kind of one's own.
    public init(
        wanted: String, completion: Completion = .nothing,
        parse: @escaping @Sendable (String) -> ParsedValue<Value>, text: @escaping @Sendable (Value) -> String
    ) {
        self.wanted = wanted
        self.completion = completion
        self.parse = parse
        self.text = text
    }
}

/// A value, or that the text is none, with the reason where the wish alone does not tell it.
public enum ParsedValue<Value> {
    case value(Value)
    case wrong(because: String?)
}

extension OptionKind where Value == String {
    /// Any text but an empty one.
    public static var text: Self { text(wanted: "a text that is not empty", completion: .nothing) }

    public static var file: Self { text(wanted: "the path of a file", completion: .files) }

    public static var directory: Self { text(wanted: "the path of a directory", completion: .directories) }

    /// One to `longest` bytes of text.
    public static func text(upTo longest: Int) -> Self {
        OptionKind(
            wanted: "a text of 1 to \(longest) bytes",
            parse: { (1...longest).contains($0.utf8.count) ? .value($0) : .wrong(because: nil) }, text: { $0 }
        )
    }

    private static func text(wanted: String, completion: Completion) -> Self {
        OptionKind(
            wanted: wanted, completion: completion,
            parse: { $0.isEmpty ? .wrong(because: nil) : .value($0) }, text: { $0 })
    }
}

extension OptionKind where Value == Int {
    /// A whole number within a range.
    public static func integer(in range: ClosedRange<Int>) -> Self {
        let wanted =
            range.upperBound == .max
            ? "a whole number of at least \(range.lowerBound)"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return OptionKind(
            wanted: wanted,
            parse: { text in
                guard let value = Int(text), range.contains(value) else { return .wrong(because: nil) }
                return .value(value)
            },
            text: { "\($0)" })
    }
}

extension OptionKind where Value == Double {
    /// A finite number within a range.
    public static func number(in range: ClosedRange<Double>, example: String) -> Self {
        OptionKind(
            wanted: "a number from \(plainDecimal(range.lowerBound)) to \(plainDecimal(range.upperBound)) "
                + "such as \(example)",
            parse: { text in
                guard let value = Double(text), range.contains(value) else { return .wrong(because: nil) }
                return .value(value)
            },
            text: plainDecimal)
    }
}

extension OptionKind where Value == Double {
    /// A finite number above zero.
    public static func positiveNumber(example: String) -> Self {
        OptionKind(
            wanted: "a number above 0 such as \(example)",
            parse: { text in
                guard let value = Double(text), value > 0, value.isFinite else { return .wrong(because: nil) }
                return .value(value)
            },
            text: plainDecimal)
    }
}

extension OptionKind where Value == ByteCount {
    /// An amount of bytes such as `512MiB`.
    public static func byteCount(in range: ClosedRange<ByteCount> = .zero ... .max) -> Self {
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        return OptionKind(
            wanted: "an amount of bytes \(bounds) such as 512MiB or 2GiB",
            parse: { text in
                do throws(UnitError) {
                    let value = try ByteCount(parsing: text)
                    return range.contains(value) ? .value(value) : .wrong(because: nil)
                } catch {
                    return .wrong(because: error.description)
                }
            },
            text: { $0.description })
    }
}

extension OptionKind where Value == Duration {
    /// A length of time such as `25s`.
    public static func duration(in range: ClosedRange<Duration>) -> Self {
        OptionKind(
            wanted: "a length of time from \(range.lowerBound.shortText) to \(range.upperBound.shortText) "
                + "such as 500ms, 25s or 2m",
            parse: { text in
                do throws(UnitError) {
                    let value = try Duration(parsing: text)
                    return range.contains(value) ? .value(value) : .wrong(because: nil)
                } catch {
                    return .wrong(because: error.description)
                }
            },
            text: { $0.shortText })
    }
}

extension OptionKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's cases, by its raw value.
    public static var choice: Self {
        let names = Value.allCases.map(\.rawValue)
        return OptionKind(
            wanted: "one of " + names.joined(separator: ", "), completion: .choices(names),
            parse: { text in Value(rawValue: text).map { .value($0) } ?? .wrong(because: nil) },
            text: { $0.rawValue })
    }
}

extension OptionKind where Value == Bool {
    /// What a flag's environment variable takes.
    static var `switch`: Self {
        OptionKind(
            wanted: "1, true, yes or on, or 0, false, no or off",
            parse: { text in
                switch text.lowercased() {
                case "1", "true", "yes", "on": .value(true)
                case "0", "false", "no", "off": .value(false)
                default: .wrong(because: nil)
                }
            },
            text: { $0 ? "on" : "off" })
    }
}

extension OptionKind {
    /// One or more values separated by commas; at most `mostValues`.
    public static func list<Element>(of element: OptionKind<Element>, upTo mostValues: Int, example: String)
        -> Self
    where Value == [Element] {
        OptionKind(
            wanted: "\(element.wanted), or up to \(mostValues) of them such as \(example)",
            parse: { text in
                var values: [Element] = []
                for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                    switch element.parse(String(part)) {
                    case .value(let value): values.append(value)
                    case .wrong(let because): return .wrong(because: because)
                    }
                }
                return values.count <= mostValues
                    ? .value(values) : .wrong(because: "it has \(values.count) values")
            },
            text: { $0.map(element.text).joined(separator: ",") })
    }
}

/// Without the closing `.0` of a whole number.
private func plainDecimal(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
