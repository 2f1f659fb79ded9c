extension OptionTable {
    /// What `--help` prints: usage, purpose, options, examples, exit statuses. Lines are at most `width`
    /// characters long where words allow it.
    public func helpText(width: Int = 90) -> String {
        var sections = ["Usage: \(usage)", wrap(purpose, to: width, indentation: 0)]
        sections += groups.map { section($0.title, $0.options.map(\.facts), width: width) }
        sections.append(section("Other", otherOptions, width: width))
        if !examples.isEmpty {
            let lines = examples.map { "  \($0.command)\n" + wrap($0.meaning, to: width, indentation: 6) }
            sections.append("Examples:\n" + lines.joined(separator: "\n"))
        }
        let statuses = exitStatuses.map { status in
            let number = "\(status.rawValue)"
            // A process's exit status has three digits at most.
            return "  " + String(repeating: " ", count: 3 - number.count)
                + "\(number)  \(meanings[status] ?? status.meaning)"
        }
        sections.append("Exit status:\n" + statuses.joined(separator: "\n"))
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// What `--version` prints.
    public var versionText: String { "\(command) \(version)\n" }

    /// The command with what it cannot do without.
    public var usage: String {
        let required = options.map(\.facts).filter(\.isRequired).map { " \($0.spelling)" }.joined()
        let operandText =
            switch operands {
            case .none: ""
            case .some(let placeholder, let least): least > 0 ? " \(placeholder)" : " [\(placeholder)]"
            }
        return "\(command)\(required) [options]\(operandText)"
    }

    /// Every option in its own column, its text beside it, or below it where the column is too narrow.
    private func section(_ title: String, _ options: [OptionFacts], width: Int) -> String {
        let column = 28
        let rows = options.map { facts in
            let head = "  \(facts.spelling)"
            let text = wrap(facts.fullHelp, to: width, indentation: column)
            guard head.count + 2 <= column else { return "\(head)\n\(text)" }
            return head + String(repeating: " ", count: column - head.count) + text.dropFirst(column)
        }
        return "\(title):\n" + rows.joined(separator: "\n")
    }
}

extension OptionFacts {
    /// As it is typed: `--queue NAME`.
    public var spelling: String {
        "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }

    /// The help with what the user also has to know: default, repetition, environment variable.
    public var fullHelp: String {
        var notes: [String] = []
        if isRequired { notes.append("required") }
        if isRepeatable { notes.append("may be repeated") }
        if let defaultText { notes.append("default: \(defaultText)") }
        if let environment { notes.append("environment: \(environment)") }
        return notes.isEmpty ? help : "\(help) [\(notes.joined(separator: "; "))]"
    }

    static let help = OptionFacts(flag: "help", help: "Show this text and exit.")
    static let version = OptionFacts(flag: "version", help: "Show the version and exit.")

    private init(flag name: String, help: String) {
        self.init(
            name: name, environment: nil, placeholder: nil, wanted: "no value", defaultText: nil, help: help,
            isRequired: false,
            isRepeatable: false, isSecret: false, completion: .nothing)
    }
}

/// Breaks a text between words into lines of at most `width` characters, each indented.
func wrap(_ text: String, to width: Int, indentation: Int) -> String {
    let margin = String(repeating: " ", count: indentation)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, indentation + line.count + 1 + word.count > width {
            lines.append(margin + line)
            line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
    }
    return (lines + [margin + line]).joined(separator: "\n")
}
