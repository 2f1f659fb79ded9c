extension Timestamp {
    /// Reads what `rfc3339` writes: `2026-03-01T12:00:00.250Z`. Nil for any other text.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        let form = Array("0000-00-00T00:00:00.000Z".utf8)
        guard bytes.count == form.count else { return nil }
        var numbers: [Int64] = [0]
        for (byte, expected) in zip(bytes, form) {
            if expected == UInt8(ascii: "0") {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        guard (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60,
            numbers[5] <= 60
        else { return nil }
        let days = daysSince1970(year: numbers[0], month: numbers[1], day: numbers[2])
        let seconds = ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
        self.init(milliseconds: seconds * 1_000 + numbers[6])
    }
}

/// The inverse of the calendar in Timestamp.swift: years begin on 1 March, eras of 400 years.
private func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = shifted >= 0 ? shifted / 400 : (shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
