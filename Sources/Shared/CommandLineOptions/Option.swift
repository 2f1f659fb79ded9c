/// One option of a program, declared once: how it is named, what it takes, what it means without being
/// given, and what is said about it. Parsing, help, and later man pages and completions all read this.
///
/// ```swift
/// static let queue = Option(
///     "queue", .text, placeholder: "NAME", default: "thumbnails", environment: "THUMBNAIL_QUEUE",
///     help: "The Redis list that holds the jobs.")
/// ```
public struct Option<Value: Sendable>: OptionDeclaration {
    public let facts: OptionFacts
    let resolve: @Sendable ([GivenValue]) -> Resolution<Value>

    public func check(_ given: [GivenValue]) -> Resolution<any Sendable> {
        switch resolve(given) {
        case .value(let value): .value(value)
        case .problems(let problems): .problems(problems)
        }
    }
}

/// An option of whatever type, as a row of a table.
public protocol OptionDeclaration: Sendable {
    var facts: OptionFacts { get }

    /// The option's value from all that was given for it, in order of increasing precedence.
    func check(_ given: [GivenValue]) -> Resolution<any Sendable>
}

/// All that can be said about an option without knowing its type.
public struct OptionFacts: Sendable, Equatable {
    /// Without the dashes, as in `memory-budget`.
    public let name: String
    /// The environment variable that stands in for it.
    public let environment: String?
    /// Nil for a flag, which takes no value.
    public let placeholder: String?
    /// What its value has to be, as in “expected …”.
    public let wanted: String
    /// What holds when it is not given, in words; nil when nothing does.
    public let defaultText: String?
    /// One or more sentences.
    public let help: String
    public let isRequired: Bool
    public let isRepeatable: Bool
    /// Its value may contain a password and is never shown.
    public let isSecret: Bool
    public let completion: Completion
}

/// What a shell may offer as the option's value.
public enum Completion: Sendable, Equatable {
    case nothing, files, directories
    case choices([String])
}

/// A value as the user wrote it.
public struct GivenValue: Sendable, Equatable {
    public let text: String
    public let origin: Origin

    /// Where it stood: what a message names.
    public enum Origin: Sendable, Equatable {
        case argument
        case environment(String)
    }

    public init(_ text: String, from origin: Origin) {
        self.text = text
        self.origin = origin
    }
}

/// A value, or all that is wrong.
public enum Resolution<Value> {
    case value(Value)
    case problems([OptionProblem])
}

// MARK: - Declaring

extension Option {
    /// An option with a value of its own when it is not given. `defaultText` replaces the default's
    /// description in the help. Given more than once, the last counts.
    public init(
        _ name: String, _ kind: OptionKind<Value>, placeholder: String, default fallback: Value,
        defaultText: String? = nil, environment: String? = nil, secret: Bool = false, help: String
    ) {
        let facts = OptionFacts(
            name: name, environment: environment, placeholder: placeholder,
            wanted: kind.wanted, defaultText: defaultText ?? kind.text(fallback), help: help,
            isRequired: false,
            isRepeatable: false, isSecret: secret, completion: kind.completion)
        self.facts = facts
        resolve = { given in
            given.last.map { facts.parse($0, as: kind) } ?? .value(fallback)
        }
    }

    /// An option that must be given.
    public init(
        required name: String, _ kind: OptionKind<Value>, placeholder: String, environment: String? = nil,
        help: String
    ) {
        let facts = OptionFacts(
            name: name, environment: environment, placeholder: placeholder, wanted: kind.wanted,
            defaultText: nil, help: help,
            isRequired: true, isRepeatable: false, isSecret: false, completion: kind.completion)
        self.facts = facts
        resolve = { given in
            given.last.map { facts.parse($0, as: kind) }
                ?? .problems([.missing(option: facts.name, wanted: facts.wanted)])
        }
    }

    /// An option that is nil when it is not given.
    public init<Wrapped>(
        optional name: String, _ kind: OptionKind<Wrapped>, placeholder: String, defaultText: String? = nil,
        environment: String? = nil, secret: Bool = false, help: String
    ) where Value == Wrapped? {
        let facts = OptionFacts(
            name: name, environment: environment, placeholder: placeholder, wanted: kind.wanted,
            defaultText: defaultText,
            help: help, isRequired: false, isRepeatable: false, isSecret: secret, completion: kind.completion)
        self.facts = facts
        resolve = { given in
            guard let last = given.last else { return .value(nil) }
            return switch facts.parse(last, as: kind) {
            case .value(let value): .value(value)
            case .problems(let problems): .problems(problems)
            }
        }
    }

    /// An option that may be given several times; all values in order. In the environment variable,
    /// several values are separated by colons, like in `PATH`.
    public init<Element>(
        repeated name: String, _ kind: OptionKind<Element>, placeholder: String, default fallback: [Element],
        defaultText: String? = nil, environment: String? = nil, help: String
    ) where Value == [Element] {
        let words = fallback.map(kind.text).joined(separator: ", ")
        let facts = OptionFacts(
            name: name, environment: environment, placeholder: placeholder,
            wanted: kind.wanted, defaultText: defaultText ?? (words.isEmpty ? nil : words), help: help,
            isRequired: false,
            isRepeatable: true, isSecret: false, completion: kind.completion)
        self.facts = facts
        resolve = { given in
            given.isEmpty ? .value(fallback) : facts.parseAll(given, as: kind)
        }
    }
}

extension Option where Value == Bool {
    /// A flag: on when it is given. Its environment variable takes 1, true, yes, on or 0, false, no, off.
    public init(flag name: String, environment: String? = nil, help: String) {
        let facts = OptionFacts(
            name: name, environment: environment, placeholder: nil, wanted: "no value", defaultText: nil,
            help: help,
            isRequired: false, isRepeatable: false, isSecret: false, completion: .nothing)
        self.facts = facts
        resolve = { given in
            guard let last = given.last else { return .value(false) }
            return last.origin == .argument ? .value(true) : facts.parse(last, as: .switch)
        }
    }
}

extension OptionFacts {
    fileprivate func parse<Value>(_ given: GivenValue, as kind: OptionKind<Value>) -> Resolution<Value> {
        switch kind.parse(given.text) {
        case .value(let value): .value(value)
        case .wrong(let because):
            .problems([
                .badValue(
                    option: name, origin: given.origin, got: isSecret ? nil : given.text, wanted: kind.wanted,
                    because: because)
            ])
        }
    }

    fileprivate func parseAll<Element>(
        _ given: [GivenValue], as kind: OptionKind<Element>
    ) -> Resolution<[Element]> {
        var values: [Element] = []
        var problems: [OptionProblem] = []
        for item in given {
            switch parse(item, as: kind) {
            case .value(let value): values.append(value)
            case .problems(let found): problems += found
            }
        }
        return problems.isEmpty ? .value(values) : .problems(problems)
    }
}
