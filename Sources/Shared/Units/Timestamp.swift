internal import CLinux

/// A moment of the wall clock in UTC, to the millisecond.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before.
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The wall clock now.
    public static func now() -> Timestamp {
        Timestamp(milliseconds: linux_wall_clock_milliseconds())
    }

    /// RFC 3339 in UTC with milliseconds, always 24 characters for the years 0–9999:
    /// `2026-03-01T12:00:00.250Z`.
    public var rfc3339: String {
        let days = floorDivide(milliseconds, by: 86_400_000)
        let ofDay = milliseconds - days * 86_400_000
        let (year, month, day) = civilDate(daysSince1970: days)
        let date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
        let hours = padded(ofDay / 3_600_000, to: 2)
        let minutes = padded(ofDay / 60_000 % 60, to: 2)
        let seconds = padded(ofDay / 1_000 % 60, to: 2)
        return "\(date)T\(hours):\(minutes):\(seconds).\(padded(ofDay % 1_000, to: 3))Z"
    }
}

/// The proleptic Gregorian date. Counts in eras of 400 years that begin on 1 March, so that the leap day
/// is the last of its year and needs no case of its own (Howard Hinnant, "chrono-compatible low-level
/// date algorithms").
private func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = daysSince1970 + 719_468
    let era = floorDivide(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

private func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}

private func padded(_ value: Int64, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
