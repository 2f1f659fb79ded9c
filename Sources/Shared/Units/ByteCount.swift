/// A number of bytes, from zero to `Int64.max`.
///
/// Sums and products stop at `.max` instead of trapping: their terms come from file headers, and an
/// amount that no machine could hold must stay one that no budget admits. Going below zero is a bug of
/// ours, and traps.
public struct ByteCount: Sendable, Hashable {
    /// The amount as a plain number of bytes, never negative.
    public let bytes: Int64

    /// Traps when `bytes` is negative.
    public init(_ bytes: Int64) {
        precondition(bytes >= 0, "a byte count cannot be negative")
        self.bytes = bytes
    }

    /// Traps when `bytes` is negative.
    public init(_ bytes: Int) {
        self.init(Int64(bytes))
    }

    public static let zero = ByteCount(0)

    /// The largest amount; also what an overflowing sum or product becomes.
    public static let max = ByteCount(Int64.max)

    public static func kibibytes(_ amount: Int) -> ByteCount { ByteCount(amount) * (1 << 10) }
    public static func mebibytes(_ amount: Int) -> ByteCount { ByteCount(amount) * (1 << 20) }
    public static func gibibytes(_ amount: Int) -> ByteCount { ByteCount(amount) * (1 << 30) }

    /// `percent` hundredths of the amount, rounded down; 0 ≤ percent ≤ 100.
    public func hundredths(_ percent: Int) -> ByteCount {
        precondition((0...100).contains(percent), "a share of a byte count is between 0 and 100 hundredths")
        let (quotient, remainder) = bytes.quotientAndRemainder(dividingBy: 100)
        return ByteCount(quotient * Int64(percent) + remainder * Int64(percent) / 100)
    }
}

extension ByteCount: Comparable {
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}

extension ByteCount {
    /// The sum; `.max` where it would overflow.
    public static func + (left: ByteCount, right: ByteCount) -> ByteCount {
        let (sum, overflow) = left.bytes.addingReportingOverflow(right.bytes)
        return overflow ? .max : ByteCount(sum)
    }

    public static func += (left: inout ByteCount, right: ByteCount) { left = left + right }

    /// The difference; traps below zero.
    public static func - (left: ByteCount, right: ByteCount) -> ByteCount {
        ByteCount(left.bytes - right.bytes)
    }

    public static func -= (left: inout ByteCount, right: ByteCount) { left = left - right }

    /// The product; `.max` where it would overflow. Traps on a negative factor.
    public static func * (left: ByteCount, factor: Int) -> ByteCount {
        precondition(factor >= 0, "a byte count cannot be negative")
        let (product, overflow) = left.bytes.multipliedReportingOverflow(by: Int64(factor))
        return overflow ? .max : ByteCount(product)
    }
}

extension ByteCount: CustomStringConvertible {
    /// For people: `900 B`, `64 KiB`, `4.5 MiB`. One decimal at most, rounded down,
    /// so that a text never claims more than there is.
    public var description: String {
        for (unit, size) in [("GiB", Int64(1) << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= size
        {
            let tenths = (bytes % size) * 10 / size
            let whole = bytes / size
            return tenths == 0 ? "\(whole) \(unit)" : "\(whole).\(tenths) \(unit)"
        }
        return "\(bytes) B"
    }
}

extension ByteCount {
    /// Reads `1000000`, `64KiB`, `1.5 GiB`, `500MB`: a decimal number, then B, KiB, MiB, GiB (powers of
    /// 1024) or KB, MB, GB (powers of 1000), in either case. A bare `512M` is refused, since readers
    /// disagree on what it means. A fraction of a byte is rounded down.
    public init(parsing text: String) throws(UnitError) {
        let (number, suffix) = splitNumber(text)
        guard let size = Self.size(ofSuffix: suffix) else {
            throw number.isEmpty
                ? .notANumber(found: text) : .unknownSuffix(found: suffix, known: Self.suffixes)
        }
        self.init(try scale(number, by: size, in: text))
    }

    static let suffixes = ["B", "KiB", "MiB", "GiB", "KB", "MB", "GB"]

    private static func size(ofSuffix suffix: String) -> Int64? {
        switch suffix.lowercased() {
        case "", "b": 1
        case "kib": 1 << 10
        case "mib": 1 << 20
        case "gib": 1 << 30
        case "kb": 1_000
        case "mb": 1_000_000
        case "gb": 1_000_000_000
        default: nil
        }
    }
}
