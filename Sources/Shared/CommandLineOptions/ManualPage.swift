extension ProgramDescription {
    /// The program's page of section 1 of the manual, in roff with the macros of man(7).
    func manualPage(date: String?) -> String {
        var page = Roff()
        page.macro("TH", [name.uppercased(), "1", date ?? "", "\(name) \(version)", "User commands"])
        page.section("Name")
        page.line(Roff.escaped("\(name) - \(summary)"))
        page.section("Synopsis")
        for table in tables { page.synopsis(table) }
        if hasCommands {
            page.macro("br")
            page.line(
                Roff.bold(name) + " " + OptionFacts.ofPrograms.map(Roff.spelling).joined(separator: " | "))
        }
        page.section("Description")
        page.paragraph(purpose)
        if hasCommands { commands(on: &page) } else { options(on: &page) }
        environment(on: &page)
        exitStatuses(on: &page)
        examples(on: &page)
        if !references.files.isEmpty {
            page.section("Files")
            for file in references.files { page.item(Roff.italic(file.path), file.meaning) }
        }
        if !references.seeAlso.isEmpty {
            page.section("See also")
            page.line(references.seeAlso.sorted().map(Roff.reference).joined(separator: ",\n"))
        }
        return page.text
    }

    private func options(on page: inout Roff) {
        page.section("Options")
        for table in tables {
            for group in table.groups {
                page.subsection(group.title)
                for option in group.options { page.option(option.facts) }
            }
        }
        page.subsection("Other")
        for facts in OptionFacts.ofPrograms { page.option(facts) }
    }

    /// What all commands have is told once, behind what each has of its own.
    private func commands(on page: inout Roff) {
        let common = commonOptions
        page.section("Commands")
        for table in tables {
            page.subsection(table.usage)
            page.paragraph(table.purpose)
            for facts in table.options.map(\.facts) where !common.contains(facts) { page.option(facts) }
        }
        page.section("Options of every command")
        for facts in common + OptionFacts.ofCommands { page.option(facts) }
        page.section("Options without a command")
        for facts in OptionFacts.ofPrograms { page.option(facts) }
    }

    private func environment(on page: inout Roff) {
        page.section("Environment")
        page.paragraph(
            "Each variable stands in for an option; the option counts before it, and an empty one counts as not "
                + "set. Those of options without a value take 1, true, yes or on, or 0, false, no or off; those "
                + "of options that may be repeated take several values with colons between.")
        for variable in variables {
            let uses = variable.uses.map { use in
                Roff.bold("--" + use.option.name)
                    + (hasCommands && use.commands.count < tables.count
                        ? Roff.escaped(" of \(use.commands.joined(separator: ", "))") : "")
            }
            page.item(Roff.bold(variable.name), roff: uses.joined(separator: "; "))
        }
    }

    private func exitStatuses(on page: inout Roff) {
        page.section("Exit status")
        let statuses = ExitStatus.allCases.filter { status in
            tables.contains { $0.exitStatuses.contains(status) }
        }
        for status in statuses {
            // Commands may each give a status a meaning of their own.
            var meanings: [(text: String, commands: [String])] = []
            for table in tables where table.exitStatuses.contains(status) {
                let meaning = table.meanings[status] ?? status.meaning
                if let known = meanings.firstIndex(where: { $0.text == meaning }) {
                    meanings[known].commands.append(word(of: table))
                } else {
                    meanings.append((meaning, [word(of: table)]))
                }
            }
            let texts = meanings.map { meaning in
                meanings.count == 1
                    ? meaning.text : "\(meaning.commands.joined(separator: ", ")): \(meaning.text)"
            }
            page.item(Roff.bold("\(status.rawValue)"), texts.joined(separator: ". "))
        }
    }

    private func examples(on page: inout Roff) {
        let examples = tables.flatMap(\.examples)
        guard !examples.isEmpty else { return }
        page.section("Examples")
        for example in examples {
            page.paragraph(example.meaning)
            page.example(example.command)
        }
    }
}

/// A page as it is written down from its top.
private struct Roff {
    private(set) var text = ""

    mutating func line(_ roff: String) {
        // A point or an apostrophe at the start of a line would be a request.
        text += (roff.hasPrefix(".") || roff.hasPrefix("'") ? #"\&"# : "") + roff + "\n"
    }

    mutating func macro(_ name: String, _ arguments: [String] = []) {
        // No hyphen is escaped here: readers of the macro take the date as it is.
        let words = arguments.map { argument in
            "\"" + argument.replacing(#"\"#, with: #"\e"#).replacing("\"", with: #"\(dq"#) + "\""
        }
        text += "." + ([name] + words).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) { macro("SH", [title.uppercased()]) }
    mutating func subsection(_ title: String) { macro("SS", [title]) }

    mutating func paragraph(_ prose: String) {
        // Right below a heading it would be empty.
        if !isBelowHeading { macro("PP") }
        lines(of: prose)
    }

    private var isBelowHeading: Bool {
        text.split(separator: "\n").last.map { $0.hasPrefix(".SH") || $0.hasPrefix(".SS") } ?? true
    }

    private mutating func lines(of prose: String) {
        for part in wrap(prose, to: 72, indentation: 0).split(separator: "\n") {
            line(Self.escaped(String(part)))
        }
    }

    mutating func item(_ head: String, _ prose: String) {
        macro("TP")
        line(head)
        lines(of: prose)
    }

    mutating func item(_ head: String, roff: String) {
        macro("TP")
        line(head)
        line(roff)
    }

    mutating func option(_ facts: OptionFacts) { item(Self.spelling(facts), facts.helpWithoutEnvironment) }

    mutating func example(_ command: String) {
        macro("PP")
        macro("RS", ["4"])
        macro("EX")
        line(Self.escaped(command))
        macro("EE")
        macro("RE")
    }

    /// One line, as `usage` has it: the command, what it needs, options, operands.
    mutating func synopsis(_ table: OptionTable) {
        let required = table.options.map(\.facts).filter(\.isRequired).map { " " + Self.spelling($0) }
            .joined()
        let operands =
            switch table.operands {
            case .none: ""
            case .some(let placeholder, let least):
                least > 0 ? " " + Self.italic(placeholder) : " [" + Self.italic(placeholder) + "]"
            }
        if text.hasSuffix("\n"), !text.hasSuffix("\"SYNOPSIS\"\n") { macro("br") }
        line(Self.bold(table.command) + required + " [" + Self.italic("options") + "]" + operands)
    }

    static func bold(_ words: String) -> String { #"\fB"# + escaped(words) + #"\fR"# }
    static func italic(_ words: String) -> String { #"\fI"# + escaped(words) + #"\fR"# }

    static func spelling(_ facts: OptionFacts) -> String {
        bold("--" + facts.name) + (facts.placeholder.map { " " + italic($0) } ?? "")
    }

    /// `redis-cli(1)` with the name alone in bold.
    static func reference(_ page: String) -> String {
        let parts = page.split(separator: "(", maxSplits: 1)
        return bold(String(parts[0])) + (parts.count > 1 ? "(" + parts[1] : "")
    }

    /// Hyphens stay what they are typed as, so that options can be copied from the page.
    static func escaped(_ words: String) -> String {
        words.replacing(#"\"#, with: #"\e"#).replacing("-", with: #"\-"#)
    }
}

extension OptionFacts {
    /// The section on the environment tells the variables.
    fileprivate var helpWithoutEnvironment: String {
        OptionFacts(
            name: name, environment: nil, placeholder: placeholder, wanted: wanted, defaultText: defaultText,
            help: help, isRequired: isRequired, isRepeatable: isRepeatable, isSecret: isSecret,
            completion: completion
        ).fullHelp
    }
}
