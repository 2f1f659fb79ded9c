import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What the programs print for shells, for man and for service managers, read by those that it is for. The
/// programs are called as they are where they are installed from a package.
struct GeneratedTextTests {
    static let programs = ["worker", "enqueue", "fleet"]
    private static let commands = [
        "status", "top", "health", "dead", "delayed", "retry", "discard", "results", "batch", "pause",
        "resume",
        "audit",
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for program in Self.programs {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/thumbnail-" + program,
                withDestinationPath: BuiltProgram.path(program))
        }
    }

    @Test(arguments: [
        ("worker", "--sand", ["--sandbox"]), ("worker", "--sandbox a", ["auto"]),
        ("worker", "--sandbox = a", ["auto"]),
        ("worker", "--log-level = ", ["error", "warning", "info", "debug"]),
        ("worker", "--queue ", []), ("worker", "--generate complete-b", ["complete-bash"]),
        ("worker", "--output alb", ["albums", "album two"]), ("enqueue", "--files-from alb", Self.everything),
        ("fleet", "re", ["retry", "results", "resume"]), ("fleet", "help pa", ["pause"]),
        ("fleet", "status --m", ["--max-failed", "--min-workers"]), ("fleet", "pause --m", []),
    ])
    func `bash offers options, commands, choices, and files where they are wanted`(
        program: String, line: String, wanted: [String]
    ) async throws {
        try prepareFiles()
        let words =
            (["thumbnail-" + program]
                + line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
        let script = """
            compopt() { :; } # Only a real completion may call it.
            eval "$(./thumbnail-\(program) --generate complete-bash)"
            COMP_WORDS=(\(words.map { $0.isEmpty ? "''" : $0 }.joined(separator: " ")))
            COMP_CWORD=\(words.count - 1)
            _thumbnail_\(program)
            printf '%s\\n' "${COMPREPLY[@]}"
            complete -p thumbnail-\(program)
            """
        var lines = try await output("bash", ["--norc", "-euc", script]).split(separator: "\n").map(
            String.init)
        #expect(lines.popLast() == "complete -F _thumbnail_\(program) thumbnail-\(program)")
        #expect(lines.sorted() == wanted.sorted())
    }

    @Test(
        .enabled(if: isInstalled("fish")),
        arguments: [
            ("worker", "--sand", ["--sandbox"]), ("worker", "--sandbox ", ["auto", "off"]),
            ("worker", "--output alb", ["albums/", "album two/"]), ("worker", "alb", []),
            ("fleet", "pau", ["pause"]), ("fleet", "status --m", ["--max-failed", "--min-workers"]),
        ])
    func `fish offers the same`(program: String, line: String, wanted: [String]) async throws {
        try prepareFiles()
        let text = try await output(
            "fish",
            [
                "--no-config", "-c",
                "./thumbnail-\(program) --generate complete-fish | source; complete -C 'thumbnail-\(program) \(line)'",
            ])
        let offered = text.split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
        #expect(offered.sorted() == wanted.sorted())
    }

    @Test(
        .enabled(if: isInstalled("zsh")),
        arguments: [
            ("worker", "--sand", ["--sandbox"]), ("worker", "--sandbox ", ["auto", "off"]),
            ("worker", "--output alb", ["albums", "album two"]),
            ("fleet", "pau", ["pause"]), ("fleet", "status --m", ["--max-failed", "--min-workers"]),
        ])
    func `zsh offers the same`(program: String, line: String, wanted: [String]) async throws {
        try prepareFiles()
        // A terminal of its own, since completion works on none other; each match is written where it is added.
        let script = """
            zmodload zsh/zpty
            zpty terminal zsh -f -i
            zpty -w terminal 'autoload -Uz compinit; compinit -u -D; PS1=; TERM=dumb'
            zpty -w terminal 'mkdir functions; ./thumbnail-\(program) --generate complete-zsh > functions/_it'
            zpty -w terminal 'fpath=($PWD/functions $fpath); autoload -Uz _it; compdef _it thumbnail-\(program)'
            zpty -w terminal 'compadd() { local -a found; builtin compadd -O found "$@"; print -rl -- $found >> matches; builtin compadd "$@" }'
            zpty -w terminal 'finish() { print -r -- DO""NE }; zle -N finish; bindkey "^X" finish; print READ""Y'
            zpty -r terminal seen '*READY*'
            zpty -w -n terminal $'thumbnail-\(program) \(line)\\t\\x18'
            zpty -r terminal seen '*DONE*'
            sort -u matches
            """
        let offered = try await output("zsh", ["-f", "-c", script]).split(separator: "\n").map(String.init)
        // A name with a space is added as it is and as it is typed.
        let names = Set(offered.map { $0.replacing(#"\ "#, with: " ") }).subtracting([""])
        #expect(names == Set(wanted))
    }

    @Test(arguments: programs)
    func `help and manual name the programs as they are installed`(program: String) async throws {
        var texts = [try await output("./thumbnail-" + program, ["--help"])]
        texts.append(try await output("./thumbnail-" + program, ["--generate", "man"]))
        if program == "fleet" {
            for command in Self.commands {
                texts.append(try await output("./thumbnail-fleet", [command, "--help"]))
            }
        }
        for text in texts {
            // A program that is run stands at the start of its line or behind a pipe.
            let bare = text.split(separator: "\n").filter { line in
                line.split(separator: "|").contains { part in
                    let words = part.split(separator: " ").prefix(2).map(String.init)
                    return Self.programs.contains(words.first ?? "")
                        && (Self.commands.contains(words.last ?? "") || words.last?.hasPrefix("--") == true)
                }
            }
            #expect(bare == [])
        }
        #expect(texts[0].contains("thumbnail-\(program) "))
        #expect(texts[1].contains(program.uppercased()))
    }

    @Test func `without a prefix there is none`() async throws {
        #expect(try await output(BuiltProgram.path("worker"), ["--version"]).hasPrefix("worker "))
        #expect(try await output("./thumbnail-worker", ["--version"]).hasPrefix("thumbnail-worker "))
        let wrong = try ChildProcess("./thumbnail-fleet", ["staus"], workingFolder: folder.path)
        #expect(await wrong.wait() == .status(64))
        #expect(wrong.standardError.hasSuffix("thumbnail-fleet: see thumbnail-fleet --help\n"))
    }

    @Test(.enabled(if: isInstalled("mandoc")), arguments: programs)
    func `mandoc has nothing to say about the manual`(program: String) async throws {
        let script =
            "SOURCE_DATE_EPOCH=1700000000 ./thumbnail-\(program) --generate man | mandoc -T lint -W style"
        #expect(try await output("sh", ["-c", script]) == "")
    }

    // MARK: - Running

    private static let everything = ["album list", "album two", "albums"]

    private func prepareFiles() throws {
        for name in ["albums", "album two"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: false)
        }
        try Data().write(to: URL(filePath: folder.path + "/album list"))
    }

    private func output(_ program: String, _ arguments: [String]) async throws -> String {
        let child = try ChildProcess(
            program, arguments, environment: ["HOME": folder.path], workingFolder: folder.path)
        #expect(await child.wait() == .status(0), "\(child.standardError)")
        return child.standardOutput
    }
}

private func isInstalled(_ program: String) -> Bool {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains { unsafe access($0 + program, X_OK) == 0 }
}
