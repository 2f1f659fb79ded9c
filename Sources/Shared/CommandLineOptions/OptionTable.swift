/// A program, or one command of it, as a table: what it is for, its options in groups, its examples and
/// exit statuses. Everything that is said about the program is made from it.
public struct OptionTable: Sendable {
    /// As it is typed, such as `enqueue` or `fleet status`.
    public let command: String
    public let version: String
    /// One line, without a full stop; for lists of commands and man pages.
    public let summary: String
    /// One paragraph.
    public let purpose: String
    public let operands: Operands
    public let groups: [Group]
    public let examples: [Example]
    public let exitStatuses: [ExitStatus]
    /// What a status means here where that is not its usual meaning.
    public let meanings: [ExitStatus: String]

    /// Options that belong together, under a heading.
    public struct Group: Sendable {
        public let title: String
        public let options: [any OptionDeclaration]

        public init(_ title: String, _ options: [any OptionDeclaration]) {
            self.title = title
            self.options = options
        }
    }

    public struct Example: Sendable {
        public let command: String
        public let meaning: String

        public init(_ command: String, _ meaning: String) {
            self.command = command
            self.meaning = meaning
        }
    }

    /// What may follow the options.
    public enum Operands: Sendable, Equatable {
        case none
        /// `placeholder` as in `ID…`; `atLeast` of them.
        case some(placeholder: String, atLeast: Int)
    }

    /// Traps when two options share a name or an environment variable.
    public init(
        command: String, version: String, summary: String, purpose: String, operands: Operands = .none,
        groups: [Group], examples: [Example] = [], exitStatuses: [ExitStatus],
        meanings: [ExitStatus: String] = [:]
    ) {
        self.command = command
        self.version = version
        self.summary = summary
        self.purpose = purpose
        self.operands = operands
        self.groups = groups
        self.examples = examples
        self.exitStatuses = exitStatuses
        self.meanings = meanings
        let names = options.map(\.facts.name) + otherOptions.map(\.name)
        let variables = options.compactMap(\.facts.environment)
        precondition(Set(names).count == names.count, "two options of \(command) share a name")
        precondition(Set(variables).count == variables.count, "two options of \(command) share a variable")
    }

    /// All options in the order of the table.
    public var options: [any OptionDeclaration] { groups.flatMap(\.options) }
}

/// What a command line asks for.
public enum Invocation: Sendable {
    case run(OptionValues)
    case showHelp
    case showVersion
    case generate(Artifact)
}

/// The values of all options of a table.
public struct OptionValues: Sendable {
    /// What followed the options.
    public let operands: [String]
    let values: [String: any Sendable]
    let origins: [String: GivenValue.Origin]

    /// Where the option's value stood; nil when it is the default.
    public func origin<Value>(of option: Option<Value>) -> GivenValue.Origin? { origins[option.facts.name] }

    /// The option's value. Traps when the option is not in the table that was parsed.
    public subscript<Value>(option: Option<Value>) -> Value {
        guard let value = values[option.facts.name] as? Value else {
            preconditionFailure("--\(option.facts.name) is not in the table that was parsed")
        }
        return value
    }
}
