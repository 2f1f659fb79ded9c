/// One thing that is wrong with a command line, with what was got and what was wanted.
public enum OptionProblem: Error, Sendable, Equatable {
    /// `nearest` is the known option that is written most alike.
    case unknownOption(String, nearest: String?)
    case unexpectedOperand(String)
    case operandMissing(wanted: String)
    case valueMissing(option: String, wanted: String)
    /// A flag was given as `--flag=value`.
    case valueNotTaken(option: String, got: String)
    /// `got` is nil when the value may contain a secret.
    case badValue(option: String, origin: GivenValue.Origin, got: String?, wanted: String, because: String?)
    case missing(option: String, wanted: String)
    case commandMissing(known: [String])
    case commandNotFirst(got: String, known: [String])
    /// `nearest` is the known command that is written most alike.
    case unknownCommand(String, nearest: String?, known: [String])
    /// Two options that do not go together, or one that needs another: in the program's own words.
    case combination(String)
}

extension OptionProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownOption(let got, let nearest):
            "\(got): there is no such option" + (nearest.map { "; did you mean --\($0)?" } ?? "")
        case .unexpectedOperand(let got): "got “\(got)”, expected options only"
        case .operandMissing(let wanted): "expected \(wanted)"
        case .valueMissing(let option, let wanted): "--\(option): got no value, expected \(wanted)"
        case .valueNotTaken(let option, let got): "--\(option): got “\(got)”, expected no value"
        case .badValue(let option, let origin, let got, let wanted, let because):
            // What may hold a password is not shown; the reason has to do.
            "\(Self.place(of: option, origin)): \(got.map { "got “\($0)”, " } ?? "")"
                + "expected \(wanted)" + (because.map { " (\($0))" } ?? "")
        case .missing(let option, let wanted): "--\(option): is not given, expected \(wanted)"
        case .commandMissing(let known): "expected a command: one of \(known.joined(separator: ", "))"
        case .commandNotFirst(let got, let known):
            "got “\(got)”, expected a command first: one of \(known.joined(separator: ", "))"
        case .unknownCommand(let got, let nearest, let known):
            "\(got): there is no such command; "
                + (nearest.map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))")
        case .combination(let text): text
        }
    }

    private static func place(of option: String, _ origin: GivenValue.Origin) -> String {
        switch origin {
        case .argument: "--\(option)"
        case .environment(let name): "\(name) in the environment"
        }
    }
}

/// All that is wrong with a command line; never empty.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    public let problems: [OptionProblem]

    public init(_ problems: [OptionProblem]) {
        precondition(!problems.isEmpty, "a usage error has a problem")
        self.problems = problems
    }

    /// One problem a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
