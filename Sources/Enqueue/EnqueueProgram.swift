import CommandLineOptions
import Files
import Glibc

/// The producer: finds pictures and puts a job for each into the queue.
@main
enum EnqueueProgram {
    /// More warnings of single files than this help nobody; the rest is counted.
    static let mostWarnings = 20

    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst()), environment: processEnvironment()).rawValue)
    }

    static func run(_ arguments: [String], environment: [String: String]) -> ExitStatus {
        do throws(UsageError) {
            switch try EnqueueOptions.table.parse(arguments, environment: environment) {
            case .showHelp: print(EnqueueOptions.table.helpText(), terminator: "")
            case .showVersion: print(EnqueueOptions.table.versionText, terminator: "")
            case .run(let values): return run(try EnqueueRequest(values))
            }
            return .done
        } catch {
            for problem in error.problems { complain(problem.description) }
            complain("see enqueue --help")
            return .usage
        }
    }

    private static func run(_ request: EnqueueRequest) -> ExitStatus {
        do throws(FileError) {
            var source = try PictureSource(request)
            guard request.isDryRun else {
                complain("this build only lists jobs: --dry-run")
                return .configuration
            }
            try list(&source, request)
            return .done
        } catch {
            complain(error.description)
            return .configuration
        }
    }

    /// `--dry-run`.
    private static func list(_ source: inout PictureSource, _ request: EnqueueRequest) throws(FileError) {
        let template = JobTemplate(
            pointSize: request.pointSize, scales: request.scales, quality: request.quality,
            batch: request.batch)
        var summary = EnqueueSummary(batch: request.batch ?? "", isDryRun: true)
        var warnings = 0
        while let item = try source.next() {
            switch item {
            case .job(let path):
                summary.enqueued += 1
                if !request.printsJSON {
                    print(String(decoding: template.job(source: path), as: UTF8.self))
                }
            case .skipped(let path, let reason):
                summary.skip(reason)
                guard reason.deservesWarning else { continue }
                warnings += 1
                if warnings <= mostWarnings { complain("skipped “\(path)”: \(reason)") }
            }
        }
        if warnings > mostWarnings {
            complain("… and \(warnings - mostWarnings) more were skipped like these")
        }
        if request.printsJSON { print(summary.json) } else { complain(summary.text) }
    }

    /// A line on standard error.
    private static func complain(_ text: String) {
        writeToStandardError("enqueue: \(text)")
    }
}
