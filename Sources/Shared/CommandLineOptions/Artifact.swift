/// What a program prints about itself for other programs, made from its table: `--generate man`.
public enum Artifact: String, CaseIterable, Sendable {
    /// A manual page in roff.
    case man
    /// Completions, to be read by the shell of that name.
    case completeBash = "complete-bash"
    case completeZsh = "complete-zsh"
    case completeFish = "complete-fish"
    /// A commented file of every environment variable, as service managers read it.
    case environment

    static let wanted = "one of " + allCases.map(\.rawValue).joined(separator: ", ")
}

/// A whole program as its tables tell it: what manual page and completions are made from.
public struct ProgramDescription: Sendable {
    /// As it is typed, such as `fleet`.
    public let name: String
    public let version: String
    /// One line, without a full stop.
    public let summary: String
    /// One paragraph.
    public let purpose: String
    /// The program's only table, or one a command.
    public let tables: [OptionTable]
    /// The first word of its command line names a table.
    public let hasCommands: Bool
    public let references: References

    public init(_ table: OptionTable, references: References = References()) {
        name = table.command
        version = table.version
        summary = table.summary
        purpose = table.purpose
        tables = [table]
        hasCommands = false
        self.references = references
    }

    public init(_ set: CommandSet, references: References = References()) {
        name = set.program
        version = set.version
        summary = set.summary
        purpose = set.purpose
        tables = set.commands
        hasCommands = true
        self.references = references
    }

    /// What a manual page says beyond the tables.
    public struct References: Sendable {
        /// Paths that matter, each with its meaning.
        public let files: [(path: String, meaning: String)]
        /// Other pages, such as `redis-cli(1)`.
        public let seeAlso: [String]

        public init(files: [(path: String, meaning: String)] = [], seeAlso: [String] = []) {
            self.files = files
            self.seeAlso = seeAlso
        }
    }

    /// - Parameter date: the day that a manual page names, as in `2026-11-30`; it names none without.
    public func text(of artifact: Artifact, date: String? = nil) -> String {
        switch artifact {
        case .man: manualPage(date: date)
        case .completeBash: bashCompletion
        case .completeZsh: zshCompletion
        case .completeFish: fishCompletion
        case .environment: environmentFile
        }
    }

    /// The word that chooses a table, as in `status` of `fleet status`.
    func word(of table: OptionTable) -> String {
        String(table.command.dropFirst(name.count + (hasCommands ? 1 : 0)))
    }

    /// Options of every table, in the order of the first; all of them where there is one table.
    var commonOptions: [OptionFacts] {
        guard let first = tables.first else { return [] }
        return first.options.map(\.facts).filter { facts in
            tables.allSatisfy { $0.options.contains { $0.facts == facts } }
        }
    }

    /// Every environment variable once, by name, with each option that it stands in for and the names of the
    /// commands that have it.
    var variables: [(name: String, uses: [(option: OptionFacts, commands: [String])])] {
        var found: [String: [(option: OptionFacts, commands: [String])]] = [:]
        for table in tables {
            for facts in table.options.map(\.facts) {
                guard let name = facts.environment else { continue }
                if let known = found[name]?.firstIndex(where: { $0.option == facts }) {
                    found[name]?[known].commands.append(word(of: table))
                } else {
                    found[name, default: []].append((facts, [word(of: table)]))
                }
            }
        }
        return found.sorted { $0.key < $1.key }.map { (name: $0.key, uses: $0.value) }
    }
}

extension OptionFacts {
    /// What `--help` says of it, up to the end of the first sentence, for lists of choices.
    var firstSentence: String {
        guard let end = help.firstRange(of: ". ") else {
            return help.hasSuffix(".") ? String(help.dropLast()) : help
        }
        return String(help[..<end.lowerBound])
    }

    static let generate = OptionFacts(
        name: "generate", environment: nil, placeholder: "WHAT", wanted: Artifact.wanted, defaultText: nil,
        help:
            "Print this program's manual page (man), what a shell needs to complete its options "
            + "(complete-bash, complete-zsh, complete-fish), or a file of its environment variables for a "
            + "service manager (environment), and exit.",
        isRequired: false, isRepeatable: false, isSecret: false,
        completion: .choices(Artifact.allCases.map(\.rawValue)))

    /// The same for every program.
    static let ofPrograms = [help, version, generate]
    static let ofCommands = [help, version]
}

extension OptionTable {
    /// The options that no table names, since each has them.
    var otherOptions: [OptionFacts] { isCommand ? OptionFacts.ofCommands : OptionFacts.ofPrograms }

    /// One of several of its program.
    var isCommand: Bool { command.contains(" ") }
}

extension Artifact {
    /// Reads `--generate=man`, or `--generate` with the word after it.
    init(argument: String, next: String?) throws(UsageError) {
        let name = OptionFacts.generate.name
        let attached = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .dropFirst().first
        guard let text = attached.map(String.init) ?? next else {
            throw UsageError([.valueMissing(option: name, wanted: Self.wanted)])
        }
        guard let artifact = Self(rawValue: text) else {
            throw UsageError([
                .badValue(option: name, origin: .argument, got: text, wanted: Self.wanted, because: nil)
            ])
        }
        self = artifact
    }
}
