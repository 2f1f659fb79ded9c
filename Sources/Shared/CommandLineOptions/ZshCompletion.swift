extension ProgramDescription {
    /// A function for a folder of zsh's `fpath`, named `_` and the program's name.
    var zshCompletion: String {
        let head = """
            #compdef \(name)
            # Completions of \(name) for zsh. Made by: \(name) --generate complete-zsh

            """
        guard hasCommands else {
            return head + "_arguments -S \\\n" + zshSpecs(of: tables[0], indentation: 4) + "\n"
        }
        let commands = tables.map {
            "        " + Self.quoted(Self.described(word(of: $0)) + ":" + $0.summary)
        }
        let cases = tables.map { table in
            "        \(word(of: table)))\n            _arguments -S \\\n"
                + zshSpecs(of: table, indentation: 16)
                + "\n            ;;"
        }
        let programOptions = OptionFacts.ofPrograms.map { "    " + Self.zshSpec($0) + " \\\n" }.joined()
        return head + """
            local curcontext="$curcontext" state line
            local -a commands
            commands=(
            \(commands.joined(separator: "\n"))
                    'help:tells what a command does'
            )
            _arguments -C \\
            \(programOptions)    '1:command:->command' \\
                '*::argument:->arguments'
            case $state in
            command)
                _describe command commands
                ;;
            arguments)
                curcontext="${curcontext%:*:*}:\(name)-$words[1]:"
                case $words[1] in
            \(cases.joined(separator: "\n"))
                    help)
                        _arguments '1:command:(\(tables.map(word).joined(separator: " ")))'
                        ;;
                esac
                ;;
            esac

            """
    }

    private func zshSpecs(of table: OptionTable, indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation)
        var specs = options(of: table).map(Self.zshSpec)
        if case .some(let placeholder, _) = table.operands {
            specs.append(Self.quoted("*:\(Self.described(placeholder)): "))
        }
        return specs.map { margin + $0 }.joined(separator: " \\\n")
    }

    /// `'--name=[what it does]:PLACEHOLDER:what is offered'`; a star where it may be repeated.
    private static func zshSpec(_ facts: OptionFacts) -> String {
        let action =
            switch facts.completion {
            case .nothing: " "
            case .files: "_files"
            case .directories: "_files -/"
            case .choices(let names): "(\(names.joined(separator: " ")))"
            }
        let value = facts.placeholder.map { ":\(described($0)):\(action)" } ?? ""
        return quoted(
            (facts.isRepeatable ? "*" : "") + "--\(facts.name)" + (facts.placeholder == nil ? "" : "=")
                + "[\(described(facts.firstSentence))]" + value)
    }

    /// Within a spec, brackets and colons mean something.
    private static func described(_ text: String) -> String {
        text.replacing(#"\"#, with: #"\\"#).replacing("[", with: #"\["#).replacing("]", with: #"\]"#)
            .replacing(":", with: #"\:"#)
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}
