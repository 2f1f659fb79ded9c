// Decimal numbers in front of a unit, without floating point: `0.1GiB` must be the same number of bytes
// on every machine.

/// Cuts `1.5 GiB` into `1.5` and `GiB`. The number is empty when the text does not begin with one.
func splitNumber(_ text: String) -> (number: Substring, suffix: String) {
    // `isASCII` matters: a digit with a combining mark is one `Character` that sorts between two digits.
    let number = text.prefix { ($0.isASCII && $0.isNumber) || $0 == "." }
    let suffix = text[number.endIndex...].drop { $0 == " " }
    return (number, String(suffix))
}

/// `number` times `unit`, rounded down to a whole number.
func scale(_ number: Substring, by unit: Int64, in text: String) throws(UnitError) -> Int64 {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard let wholeDigits = parts.first, !wholeDigits.isEmpty, parts.count <= 2 else {
        throw .notANumber(found: text)
    }
    let fractionDigits = parts.count == 2 ? parts[1] : "0"
    guard !fractionDigits.isEmpty else { throw .notANumber(found: text) }
    guard let whole = Int64(wholeDigits) else { throw .tooLarge(found: text) }

    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    let (sum, carried) = product.addingReportingOverflow(fraction(fractionDigits, of: unit))
    guard !overflow, !carried else { throw .tooLarge(found: text) }
    return sum
}

/// The digits after the point, as a share of `unit`, rounded down. Long division from the last digit
/// backwards would need big numbers; nine digits are finer than a byte of a gibibyte.
private func fraction(_ digits: Substring, of unit: Int64) -> Int64 {
    let billion: Int64 = 1_000_000_000
    let padded = (digits.prefix(9) + String(repeating: "0", count: max(0, 9 - digits.count)))
    let billionths = padded.utf8.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    let (high, low) = unit.multipliedFullWidth(by: billionths)
    return billion.dividingFullWidth((high, low)).quotient
}
