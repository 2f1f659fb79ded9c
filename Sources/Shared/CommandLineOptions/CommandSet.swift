/// A program with several commands, each a table of its own: `fleet status`, `fleet dead`, ….
public struct CommandSet: Sendable {
    /// As it is typed, such as `fleet`.
    public let program: String
    public let version: String
    /// One line, without a full stop; for manual pages.
    public let summary: String
    /// One paragraph.
    public let purpose: String
    /// Their `command` begins with the program's name.
    public let commands: [OptionTable]

    public init(program: String, version: String, summary: String, purpose: String, commands: [OptionTable]) {
        self.program = program
        self.version = version
        self.summary = summary
        self.purpose = purpose
        self.commands = commands
        precondition(
            commands.allSatisfy { $0.command.hasPrefix(program + " ") }, "a command begins with \(program)")
    }

    /// What the first words of a command line ask for.
    public enum Choice: Sendable {
        /// The rest is for the command's own table.
        case command(OptionTable, arguments: [String])
        case showHelp
        case showVersion
        case generate(Artifact)
    }

    /// Understands `status …`, `help`, `help status`, `--help` and `--version`.
    public func choose(_ arguments: [String]) throws(UsageError) -> Choice {
        guard let word = arguments.first else { throw UsageError([.commandMissing(known: names)]) }
        switch word {
        case "--help", "-h": return .showHelp
        case "--version": return .showVersion
        case "--generate",
            _ where word.hasPrefix("--generate="):
            return .generate(try Artifact(argument: word, next: arguments.dropFirst().first))
        case "help":
            guard let topic = arguments.dropFirst().first, !topic.hasPrefix("-") else { return .showHelp }
            return .command(try table(named: topic), arguments: ["--help"])
        case _ where word.hasPrefix("-"): throw UsageError([.commandNotFirst(got: word, known: names)])
        default: return .command(try table(named: word), arguments: Array(arguments.dropFirst()))
        }
    }

    /// What `--help` prints: purpose, the commands with their summaries, where to read on.
    public func helpText(width: Int = 90) -> String {
        let column = (names.map(\.count).max() ?? 0) + 4
        let rows = zip(names, commands).map { name, table in
            let text = wrap(table.summary, to: width, indentation: column)
            return "  \(name)" + String(repeating: " ", count: column - name.count - 2)
                + text.dropFirst(column)
        }
        return [
            "Usage: \(program) COMMAND [options]", wrap(purpose, to: width, indentation: 0),
            "Commands:\n" + rows.joined(separator: "\n"),
            "\(program) COMMAND --help tells the options, examples and exit statuses of one.\n"
                + wrap(
                    "\(program) --generate WHAT prints: " + Artifact.wanted + ".", to: width, indentation: 0),
        ].joined(separator: "\n\n") + "\n"
    }

    public var versionText: String { "\(program) \(version)\n" }

    private var names: [String] { commands.map { String($0.command.dropFirst(program.count + 1)) } }

    private func table(named name: String) throws(UsageError) -> OptionTable {
        guard let index = names.firstIndex(of: name) else {
            throw UsageError([
                .unknownCommand(name, nearest: nearestName(to: name, among: names), known: names)
            ])
        }
        return commands[index]
    }
}
