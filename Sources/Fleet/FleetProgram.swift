import CommandLineOptions
import Glibc
import ProgramOptions
import Threading

/// The operator's program: looks at a queue, and decides about what failed.
@main
enum FleetProgram {
    static func main() {
        let environment = processEnvironment()
        let command = command(in: environment)
        // Before there is another thread: masks are inherited.
        let signals = Signals(ProcessSignals())
        let console = Console(command.place.printsJSON ? .json : .people, environment: environment)
        runToEnd {
            let status = await FleetRun(command, console: console, signals: signals).run()
            console.close()
            return status
        }
    }

    private static func command(in environment: [String: String]) -> FleetCommand {
        do throws(UsageError) {
            switch try FleetCommands.all.choose(Array(CommandLine.arguments.dropFirst())) {
            case .showHelp: end(.done, printing: FleetCommands.all.helpText())
            case .showVersion: end(.done, printing: FleetCommands.all.versionText)
            case .generate(let artifact):
                end(generating: artifact, of: FleetCommands.description, environment: environment)
            case .command(let table, let arguments):
                return try command(table, arguments, in: environment)
            }
        } catch {
            refuse(error, see: "\(ProgramNames.fleet) --help")
        }
    }

    private static func command(
        _ table: OptionTable, _ arguments: [String], in environment: [String: String]
    ) throws(UsageError) -> FleetCommand {
        do throws(UsageError) {
            switch try table.parse(arguments, environment: environment) {
            case .showHelp: end(.done, printing: table.helpText())
            case .showVersion: end(.done, printing: table.versionText)
            case .generate(let artifact):
                end(generating: artifact, of: FleetCommands.description, environment: environment)
            // Neither a queue nor Redis is needed for it.
            case .run(let values) where table.command == FleetCommands.health.command:
                exit(
                    HealthCommand(
                        values, Console(values[FleetOptions.json] ? .json : .people, environment: environment)
                    ).run().rawValue)
            case .run(let values): return try FleetCommand(table, values)
            }
        } catch {
            refuse(error, see: "\(table.command) --help")
        }
    }

    private static func refuse(_ error: UsageError, see help: String) -> Never {
        let problems = error.problems.map { "\(ProgramNames.fleet): \($0)" }.joined(separator: "\n")
        end(.usage, complaining: problems + "\n\(ProgramNames.fleet): see \(help)")
    }
}
