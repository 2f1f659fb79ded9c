extension ProgramDescription {
    /// A function for bash 4 or later. It needs nothing else, not even the bash-completion package.
    var bashCompletion: String {
        let function = "_" + name.replacing("-", with: "_")
        return """
            # Completions of \(name) for bash. Made by: \(name) --generate complete-bash
            \(function)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                # Bash takes the = of --option=value for a word of its own.
                if [[ $current == = ]]; then
                    current=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                COMPREPLY=()
                local command=\(hasCommands ? "${COMP_WORDS[1]}" : "") words=
            \(hasCommands ? bashCommandWord : "")    case $command:$previous in
            \(bashValues)
                esac
                case $command in
            \(bashOptions)
                esac
                [[ $current == -* ]] || return 0
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            }
            complete -F \(function) \(name)

            """
    }

    /// The first word is a command; `help` is followed by one.
    private var bashCommandWord: String {
        let words = tables.map(word).joined(separator: " ")
        let programOptions = OptionFacts.ofPrograms.map { "--" + $0.name }.joined(separator: " ")
        return """
                if ((COMP_CWORD == 1)) && [[ $previous != --generate ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "\(words) help \(programOptions)" -- "$current")
                    return 0
                elif [[ $command == help ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "\(words)" -- "$current")
                    return 0
                fi

            """
    }

    /// A case for each way to complete a value, with the options of that way: a line for each command.
    private var bashValues: String {
        var ways: [(action: String, lines: [String])] = []
        func add(_ options: [OptionFacts], of command: String) {
            for action in options.map({ Self.bashAction($0.completion) }).firstOccurrences {
                let line = options.filter { Self.bashAction($0.completion) == action }
                    .map { "\(command):--\($0.name)" }.joined(separator: " | ")
                if let known = ways.firstIndex(where: { $0.action == action }) {
                    ways[known].lines.append(line)
                } else {
                    ways.append((action, [line]))
                }
            }
        }
        for table in tables {
            add(options(of: table).filter { $0.placeholder != nil }, of: hasCommands ? word(of: table) : "")
        }
        if hasCommands { add([.generate], of: "*") }
        return ways.map { way in
            "        " + way.lines.joined(separator: " | \\\n        ") + ")\n"
                // Where nobody can know the value, nothing is offered.
                + (way.action.isEmpty ? "" : "            \(way.action)\n")
                + "            return 0\n            ;;"
        }.joined(separator: "\n")
    }

    private var bashOptions: String {
        tables.map { table in
            let words = options(of: table).map { "--" + $0.name }.joined(separator: " ")
            let pattern = hasCommands ? word(of: table) : "''"
            return "        \(pattern)) words=\"\(words)\" ;;"
        }.joined(separator: "\n")
    }

    private static func bashAction(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ""
        case .files: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .directories: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        case .choices(let names):
            "mapfile -t COMPREPLY < <(compgen -W \"\(names.joined(separator: " "))\" -- \"$current\")"
        }
    }

    /// With those that no table names.
    func options(of table: OptionTable) -> [OptionFacts] {
        table.options.map(\.facts) + table.otherOptions
    }
}

extension [String] {
    fileprivate var firstOccurrences: [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
