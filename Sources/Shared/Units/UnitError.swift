/// Why a text is no amount or no length of time.
public enum UnitError: Error, Equatable, Sendable {
    /// The text does not begin with a plain decimal number.
    case notANumber(found: String)
    /// The number is fine, what follows it is none of the units that are understood.
    case unknownSuffix(found: String, known: [String])
    /// More than 63 bits can hold.
    case tooLarge(found: String)
}

extension UnitError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notANumber(let found): "“\(found)” does not begin with a number"
        case .unknownSuffix(let found, let known):
            "“\(found)” is no unit; known are \(known.joined(separator: ", "))"
        case .tooLarge(let found): "“\(found)” is too large"
        }
    }
}
