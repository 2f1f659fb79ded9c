import CommandLineOptions
import Glibc
import ProgramOptions
import TestSupport

/// `make chaos`: one run with a seed of its own, or with one that failed before.
@main
enum ChaosProgram {
    static let seedOption = Option(
        optional: "seed", .integer(in: 0 ... .max), placeholder: "N", defaultText: "another one each time",
        environment: "SEED", help: "Repeat the run that printed this seed.")
    static let jobsOption = Option(
        "jobs", .integer(in: 100...90_000), placeholder: "N", default: 20_000, environment: "JOBS",
        help: "How many jobs are pushed. The stream of results has to hold them all.")
    static let lengthOption = Option(
        "length", .duration(in: .seconds(5) ... .seconds(3600)), placeholder: "TIME", default: .seconds(180),
        environment: "LENGTH", help: "How long things go wrong.")
    static let workersOption = Option(
        "workers", .integer(in: 2...50), placeholder: "N", default: 5, environment: "WORKERS",
        help: "How many workers run at a time.")
    static let programOption = Option(
        repeated: "worker", .text, placeholder: "PATH", default: [], defaultText: "the one built beside this",
        environment: "WORKER_PROGRAMS",
        help: "The worker program; given twice, both run side by side: two versions, for instance.")
    static let logsOption = Option(
        optional: "logs", .text, placeholder: "DIR", environment: "LOGS",
        help: "Keep the workers' logs there.")

    static let table = OptionTable(
        command: "chaos", version: programVersion, summary: "breaks a fleet on purpose and counts its jobs",
        purpose: "Starts a Redis, workers and producers, kills, freezes, cuts and fills them in a seeded "
            + "order, and checks that every job that was pushed is in exactly one place, published once.",
        groups: [
            OptionTable.Group(
                "Run",
                [seedOption, jobsOption, lengthOption, workersOption, programOption, logsOption])
        ],
        exitStatuses: [.done, .someJobsFailed, .usage, .configuration])

    static func main() {
        let settings = settings()
        say("seed \(settings.seed): \(settings.jobs) jobs, \(settings.workers) workers, \(settings.length)")
        runToEnd { await run(settings) }
    }

    private static func run(_ settings: ChaosRun.Settings) async -> ExitStatus {
        do {
            let verdict = try await ChaosRun(settings) { say($0) }.run()
            say("\(verdict)")
            return verdict.problems.isEmpty ? .done : .someJobsFailed
        } catch {
            say("chaos: the run could not be carried out: \(error)")
            return .configuration
        }
    }

    /// What happens is read while it happens, also through a pipe.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    private static func settings() -> ChaosRun.Settings {
        do throws(UsageError) {
            switch try table.parse(
                Array(CommandLine.arguments.dropFirst()), environment: processEnvironment())
            {
            case .showHelp: end(.done, printing: table.helpText())
            case .showVersion: end(.done, printing: table.versionText)
            case .generate(let artifact):
                end(generating: artifact, of: ProgramDescription(table), environment: processEnvironment())
            case .run(let values):
                let seed = values[seedOption].map { UInt64($0) } ?? UInt64.random(in: 0...999_999)
                let programs = values[programOption]
                var settings = ChaosRun.Settings(
                    seed: seed, programs: programs.isEmpty ? [BuiltProgram.path("worker")] : programs)
                settings.jobs = values[jobsOption]
                settings.length = values[lengthOption]
                settings.workers = values[workersOption]
                settings.logs = values[logsOption]
                return settings
            }
        } catch {
            end(.usage, complaining: error.problems.map { "chaos: \($0)" }.joined(separator: "\n"))
        }
    }
}
