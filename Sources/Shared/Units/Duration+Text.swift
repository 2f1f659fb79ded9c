extension Duration {
    /// Reads `500ms`, `25s`, `2m`, `1.5h`, `7d`; a number without a unit is seconds. Fractions below a
    /// nanosecond are dropped.
    public init(parsing text: String) throws(UnitError) {
        let (number, suffix) = splitNumber(text)
        guard let nanoseconds = Self.nanoseconds(inUnit: suffix) else {
            throw number.isEmpty
                ? .notANumber(found: text) : .unknownSuffix(found: suffix, known: Self.unitSuffixes)
        }
        self = .nanoseconds(try scale(number, by: nanoseconds, in: text))
    }

    static let unitSuffixes = ["ms", "s", "m", "h", "d"]

    private static func nanoseconds(inUnit suffix: String) -> Int64? {
        switch suffix {
        case "ms": 1_000_000
        case "", "s": 1_000_000_000
        case "m": 60_000_000_000
        case "h": 3_600_000_000_000
        case "d": 86_400_000_000_000
        default: nil
        }
    }

    /// The length in whole milliseconds, rounded towards zero; stops at the ends of `Int64`.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !overflow, !carried else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// For people, two units at most, rounded down: `0 ms`, `850 ms`, `2.5 s`, `25 s`, `1 m 30 s`,
    /// `3 h 5 m`, `2 d 4 h`.
    public var shortText: String {
        let milliseconds = wholeMilliseconds
        guard milliseconds >= 0 else { return "-" + (Duration.zero - self).shortText }
        let seconds = milliseconds / 1_000
        switch seconds {
        case 0: return "\(milliseconds) ms"
        case 1..<10:
            let tenths = milliseconds % 1_000 / 100
            return tenths == 0 ? "\(seconds) s" : "\(seconds).\(tenths) s"
        case 10..<60: return "\(seconds) s"
        case 60..<3_600: return Self.pair(seconds / 60, "m", seconds % 60, "s")
        case 3_600..<86_400: return Self.pair(seconds / 3_600, "h", seconds % 3_600 / 60, "m")
        default: return Self.pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h")
        }
    }

    private static func pair(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String)
        -> String
    {
        small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
    }
}
