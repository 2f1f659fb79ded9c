import CommandLineOptions
import Files
import Glibc
import ProgramOptions
import Threading

/// The producer: finds pictures, puts a job for each into the queue, and may wait for them.
@main
enum EnqueueProgram {
    static func main() {
        let request = request(in: processEnvironment())
        let reader = open(request)
        // Has no thread and no connection, so Ctrl-C and a closed pipe end it as they end any filter.
        if request.isDryRun { exit(DryRun(request, reader).run().rawValue) }
        // Before there is another thread: masks are inherited.
        let signals = ProcessSignals()
        runToEnd { await EnqueueRun(request, reader, signals).run() }
    }

    private static func request(in environment: [String: String]) -> EnqueueRequest {
        do throws(UsageError) {
            switch try EnqueueOptions.table.parse(
                Array(CommandLine.arguments.dropFirst()), environment: environment)
            {
            case .showHelp: end(.done, printing: EnqueueOptions.table.helpText())
            case .showVersion: end(.done, printing: EnqueueOptions.table.versionText)
            case .generate(let artifact):
                end(generating: artifact, of: EnqueueOptions.description, environment: environment)
            case .run(let values): return try EnqueueRequest(values)
            }
        } catch {
            let problems = error.problems.map { "\(ProgramNames.enqueue): \($0)" }.joined(separator: "\n")
            end(
                .usage,
                complaining: problems + "\n\(ProgramNames.enqueue): see \(ProgramNames.enqueue) --help")
        }
    }

    /// What the options name must be there before anything is pushed.
    private static func open(_ request: EnqueueRequest) -> ChunkReader {
        do throws(FileError) {
            return ChunkReader(try PictureSource(request), JobTemplate(request))
        } catch {
            end(.configuration, complaining: "\(ProgramNames.enqueue): \(error)")
        }
    }
}

extension JobTemplate {
    fileprivate init(_ request: EnqueueRequest) {
        self.init(
            pointSize: request.pointSize, scales: request.scales, quality: request.quality,
            batch: request.batch)
    }
}
