import Testing

@testable import CommandLineOptions

struct CommandSetTests {
    private let set = CommandSet(
        program: "tool", version: "1.2", summary: "does things", purpose: "Does things.",
        commands: ["look", "listen"].map { name in
            OptionTable(
                command: "tool \(name)", version: "1.2", summary: "to \(name)", purpose: "It can \(name).",
                groups: [], exitStatuses: [.done, .someJobsFailed], meanings: [.someJobsFailed: "saw nothing"]
            )
        })

    private func choice(_ arguments: String...) throws(UsageError) -> String {
        switch try set.choose(arguments) {
        case .command(let table, let arguments): "\(table.command) \(arguments)"
        case .showHelp: "help"
        case .showVersion: "version"
        case .generate(let artifact): "\(artifact)"
        }
    }

    @Test func `the first word chooses, and the rest is the command's`() throws {
        #expect(try choice("look", "--help", "x") == #"tool look ["--help", "x"]"#)
        #expect(try choice("help", "listen") == #"tool listen ["--help"]"#)
        #expect(try [choice("help"), choice("--help"), choice("-h")] == ["help", "help", "help"])
        #expect(try choice("--version") == "version")
        #expect(try [choice("--generate", "man"), choice("--generate=man", "look")] == ["man", "man"])
    }

    @Test func `what is no command is told with what was meant or what there is`() {
        func problem(_ arguments: String...) -> String {
            do throws(UsageError) {
                _ = try set.choose(arguments)
                return "none"
            } catch {
                return error.description
            }
        }
        #expect(problem() == "expected a command: one of look, listen")
        #expect(problem("lok") == "lok: there is no such command; did you mean look?")
        #expect(problem("xyz") == "xyz: there is no such command; known are look, listen")
        #expect(problem("--fast", "look") == "got “--fast”, expected a command first: one of look, listen")
        #expect(problem("help", "lisen") == "lisen: there is no such command; did you mean listen?")
    }

    @Test func `the help lists the commands, and a status may have a meaning of its own`() {
        #expect(
            set.helpText() == """
                Usage: tool COMMAND [options]

                Does things.

                Commands:
                  look    to look
                  listen  to listen

                tool COMMAND --help tells the options, examples and exit statuses of one.
                tool --generate WHAT prints: one of man, complete-bash, complete-zsh, complete-fish,
                environment.

                """)
        #expect(set.commands[0].helpText().contains("    1  saw nothing\n"))
        #expect(set.versionText == "tool 1.2\n")
    }
}
