extension ProgramDescription {
    /// Commands for a file of fish's completions, named as the program.
    var fishCompletion: String {
        var lines = ["# Completions of \(name) for fish. Made by: \(name) --generate complete-fish"]
        // Files are offered where an option takes some, and nowhere else.
        lines.append("complete -c \(name) -f")
        guard hasCommands else {
            return (lines + options(of: tables[0]).map { fishLine($0, condition: nil) }).joined(
                separator: "\n")
                + "\n"
        }
        lines += OptionFacts.ofPrograms.map { fishLine($0, condition: "__fish_use_subcommand") }
        for table in tables {
            lines.append(
                "complete -c \(name) -n __fish_use_subcommand -a \(word(of: table)) -d "
                    + Self.quoted(table.summary))
        }
        lines.append(
            "complete -c \(name) -n __fish_use_subcommand -a help -d 'tells what a command does'")
        lines.append(
            "complete -c \(name) -n '__fish_seen_subcommand_from help' -a "
                + Self.quoted(tables.map(word).joined(separator: " ")))
        for table in tables {
            let condition = "__fish_seen_subcommand_from \(word(of: table))"
            lines += options(of: table).map { fishLine($0, condition: condition) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func fishLine(_ facts: OptionFacts, condition: String?) -> String {
        var words = ["complete -c \(name)"]
        if let condition { words.append("-n " + Self.quoted(condition)) }
        words.append("-l \(facts.name)")
        if facts.placeholder != nil {
            switch facts.completion {
            case .nothing: words.append("-x")
            case .files: words.append("-r -F")
            case .directories: words.append("-x -a '(__fish_complete_directories)'")
            case .choices(let names): words.append("-x -a " + Self.quoted(names.joined(separator: " ")))
            }
        }
        words.append("-d " + Self.quoted(facts.firstSentence))
        return words.joined(separator: " ")
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
}
