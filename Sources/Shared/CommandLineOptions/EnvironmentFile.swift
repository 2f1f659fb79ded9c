extension ProgramDescription {
    /// Every variable as a comment with its default, in the form that systemd.exec(5) reads: what is to hold is
    /// written without the `#`.
    var environmentFile: String {
        var lines = [
            "# Variables of \(name) \(version). An option on the command line counts before its variable."
        ]
        var told: Set<String> = []
        for table in tables {
            for group in table.groups {
                let options = group.options.map(\.facts).filter { facts in
                    facts.environment.map { told.insert($0).inserted } ?? false
                }
                guard !options.isEmpty else { continue }
                lines += ["", "## \(group.title)"]
                for facts in options { lines += paragraph(on: facts) }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func paragraph(on facts: OptionFacts) -> [String] {
        var notes: [String] = []
        if facts.isRequired { notes.append("Required.") }
        if facts.isRepeatable { notes.append("Several are separated by colons.") }
        if facts.placeholder == nil { notes.append("1 or 0; default: 0.") }
        if let text = facts.defaultText { notes.append("Default: \(text).") }
        let text = wrap(([facts.help] + notes).joined(separator: " "), to: 98, indentation: 0)
        return [""] + text.split(separator: "\n").map { "# \($0)" }
            + ["#\(facts.environment ?? "")=" + (facts.placeholder ?? "1")]
    }
}
