import CommandLineOptions
import Glibc
import ProgramOptions
import TestSupport

/// `make simulate`: what hundreds of workers ask of one Redis, on one machine and without pictures.
@main
enum SimulationProgram {
    static let workersOption = Option(
        "workers", .integer(in: 1...2_000), placeholder: "N", default: 500, environment: "WORKERS",
        help: "How many workers are simulated, each with the three connections of a real one.")
    static let jobsOption = Option(
        "jobs", .integer(in: 1...90_000), placeholder: "N", default: 50_000, environment: "JOBS",
        help: "How many jobs wait before the first is claimed. The stream of results has to hold them all.")
    static let holdOption = Option(
        "hold", .duration(in: .zero ... .seconds(60)), placeholder: "TIME", default: .milliseconds(200),
        environment: "HOLD",
        help: "How long a job pretends to be worked on: on average, exponentially distributed.")
    static let slotsOption = Option(
        "slots", .integer(in: 1...64), placeholder: "N", default: 2, environment: "SLOTS",
        help: "How many jobs a worker holds at a time.")
    static let idleOption = Option(
        "idle", .duration(in: .zero ... .seconds(600)), placeholder: "TIME", default: .seconds(10),
        environment: "IDLE", help: "How long the idle fleet is watched afterwards.")
    static let seedOption = Option(
        "seed", .integer(in: 0 ... .max), placeholder: "N", default: 1, environment: "SEED",
        help: "What the times of the jobs are drawn from.")

    static let settingOption = Option(
        repeated: "redis-setting", .text, placeholder: "'NAME VALUE'", default: [], defaultText: "Redis' own",
        environment: "REDIS_SETTINGS", help: "A line of the private Redis' configuration.")

    static let table = OptionTable(
        command: "simulation", version: programVersion,
        summary: "measures what a large fleet costs one Redis",
        purpose: "Starts a private Redis and simulated workers. They claim, hold and finish jobs by the same "
            + "scripts as real ones, renew their leases, and read no picture. Says what Redis paid for it.",
        groups: [
            OptionTable.Group(
                "Run",
                [workersOption, jobsOption, holdOption, slotsOption, idleOption, seedOption, settingOption])
        ],
        exitStatuses: [.done, .someJobsFailed, .usage, .configuration])

    static func main() {
        let settings = settings()
        runToEnd { await run(settings) }
    }

    private static func run(_ settings: Simulation.Settings) async -> ExitStatus {
        do {
            let report = try await Simulation(settings).run()
            print(report)
            return report.problems.isEmpty ? .done : .someJobsFailed
        } catch {
            print("simulation: the run could not be carried out: \(error)")
            return .configuration
        }
    }

    private static func settings() -> Simulation.Settings {
        do throws(UsageError) {
            switch try table.parse(
                Array(CommandLine.arguments.dropFirst()), environment: processEnvironment())
            {
            case .showHelp: end(.done, printing: table.helpText())
            case .showVersion: end(.done, printing: table.versionText)
            case .generate(let artifact):
                end(generating: artifact, of: ProgramDescription(table), environment: processEnvironment())
            case .run(let values):
                return Simulation.Settings(
                    workers: values[workersOption], jobs: values[jobsOption], hold: values[holdOption],
                    slots: values[slotsOption], idle: values[idleOption], seed: UInt64(values[seedOption]),
                    redisSettings: values[settingOption])
            }
        } catch {
            end(.usage, complaining: error.problems.map { "simulation: \($0)" }.joined(separator: "\n"))
        }
    }
}
