import Units

/// Names of batches: when they began, and enough chance to be unique.
enum BatchName {
    /// Such as `20261130T055524-6bd37e3b`.
    static func random() -> String {
        let time = Timestamp.now().rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" }
        var generator = SystemRandomNumberGenerator()
        return "\(time)-\(token(using: &generator))"
    }

    /// Eight hexadecimal digits.
    static func token(using generator: inout some RandomNumberGenerator) -> String {
        let digits = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
