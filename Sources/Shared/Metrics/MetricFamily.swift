/// One metric as it is at a scrape: what it is called, what it means, and its value for each set of labels.
public struct MetricFamily: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// Only grows, and begins at zero with the process.
        case counter
        /// Goes up and down.
        case gauge
        case histogram
    }

    /// Names one line among several. `value` may be any text.
    public struct Label: Sendable, Equatable {
        let name: String
        let value: String

        public init(_ name: String, _ value: String) {
            precondition(isLabelName(name), "\(name) is no label's name")
            (self.name, self.value) = (name, value)
        }
    }

    /// One line: `suffix` follows the family's name.
    struct Sample: Sendable, Equatable {
        let suffix: String
        let labels: [Label]
        let value: Double
    }

    /// In base units: seconds, bytes. A counter's ends in `_total`.
    public let name: String
    public let kind: Kind
    /// One sentence or more, for people.
    public let help: String
    private(set) var samples: [Sample] = []

    /// A family with no line yet. Traps on a name that the format does not know.
    public init(_ name: String, _ kind: Kind, _ help: String) {
        precondition(isMetricName(name), "\(name) is no metric's name")
        precondition((kind == .counter) == name.hasSuffix("_total"), "counters, and only they, end in _total")
        (self.name, self.kind, self.help) = (name, kind, help)
    }

    /// A family of one line without labels; of none where `value` is nil, since nothing is known.
    public init(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        self.init(name, kind, help)
        if let value { add(value) }
    }

    /// Adds a line; its labels differ from those of every other.
    public mutating func add(_ value: Double, _ labels: [Label] = []) {
        precondition(kind != .histogram, "a histogram has more than a value")
        append("", labels, value)
    }

    /// Adds a histogram's lines: each bound with the number of values up to it, their sum, their number.
    public mutating func add(_ histogram: Histogram, _ labels: [Label] = []) {
        precondition(kind == .histogram, "\(name) is no histogram")
        for (bound, count) in histogram.cumulative {
            append("_bucket", labels + [Label("le", exposed(bound))], Double(count))
        }
        append("_sum", labels, histogram.sum)
        append("_count", labels, Double(histogram.count))
    }

    private mutating func append(_ suffix: String, _ labels: [Label], _ value: Double) {
        samples.append(Sample(suffix: suffix, labels: labels, value: value))
    }
}

private func isMetricName(_ name: String) -> Bool {
    isLabelName(name.replacing(":", with: "_"))
}

private func isLabelName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !isDigit(first) else { return false }
    return name.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}
