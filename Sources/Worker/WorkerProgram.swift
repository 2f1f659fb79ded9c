import Buffers
import CommandLineOptions
import EventLog
import Failpoints
import Files
import JobQueue
import MemoryBudget
import ProgramOptions
import Redis
import Threading
import Thumbnails
import Units

/// `worker`: reads its options, opens what they name, and works until it is told to stop.
@main
enum WorkerProgram {
    static func main() {
        // All this before any other thread exists: signal masks, the allocator's settings and the fence are inherited.
        ProcessMemory.settle()
        BufferPool.keep(upTo: BufferPool.usualLimit)
        RenderingEnvironment.settle()
        ProcessSignals.holdBack()
        let environment = processEnvironment()
        let options = options(in: environment)
        configureTestBuild(from: environment)
        let log = EventLog(level: options.logLevel, format: options.logFormat, environment: environment)
        let surroundings = open(options)
        WorkerFence.raise(options, sources: surroundings.sources, outputs: surroundings.outputs, log: log)

        let signals = ProcessSignals()
        let worker = Worker(options, in: surroundings, log: log)
        runToEnd {
            guard let signals = await checkQueue(worker, RedisAdvice(options), signals.received) else {
                return .done
            }
            await worker.run(signals: signals)
            log.flush(within: .seconds(1))
            return .done
        }
    }

    private static func configureTestBuild(from environment: [String: String]) {
        do throws(FailpointError) { try TestBuild.configure(from: environment) } catch {
            end(.usage, complaining: "worker: \(error)")
        }
    }

    /// Waits for Redis' first answer, and ends the program where a person has to mend something. Answers the
    /// signals that the worker shall listen to; nil when one came before Redis answered.
    private static func checkQueue(
        _ worker: Worker, _ advice: RedisAdvice, _ signals: AsyncStream<ProcessSignals.Signal>
    ) async -> AsyncStream<ProcessSignals.Signal>? {
        let checking = Task { () -> QueueError? in
            do throws(QueueError) { try await worker.checkQueue() } catch { return error }
            return nil
        }
        // A stream has one listener for ever, so this one goes on and passes everything to the worker.
        let (passedOn, pass) = AsyncStream.makeStream(of: ProcessSignals.Signal.self)
        Task {
            for await signal in signals {
                checking.cancel()
                pass.yield(signal)
            }
        }
        if let error = await checking.value {
            let hint = advice.hint(for: error).map { "\nworker: " + $0 } ?? ""
            end(exitStatus(for: error), complaining: "worker: \(error)" + hint)
        }
        return checking.isCancelled ? nil : passedOn
    }

    private static func options(in environment: [String: String]) -> WorkerOptions {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(UsageError) {
            switch try WorkerOptions.table.parse(arguments, environment: environment) {
            case .showHelp: end(.done, printing: WorkerOptions.table.helpText())
            case .showVersion: end(.done, printing: WorkerOptions.table.versionText)
            case .run(let values): return WorkerOptions(values)
            }
        } catch {
            let problems = error.problems.map { "worker: \($0)" }.joined(separator: "\n")
            end(.usage, complaining: problems + "\nworker: see worker --help")
        }
    }

    private static func open(_ options: WorkerOptions) -> Surroundings {
        let id = WorkerID.random()
        do {
            let budget = try options.memoryBudget ?? MemoryLimit.detect().defaultBudget
            return Surroundings(
                id: id, sources: try SourceRoots(options.sourceRoots),
                outputs: try OutputDirectory(options.output, workerTag: id.description),
                budget: max(budget, WorkerOptions.smallestBudget))
        } catch {
            end(.configuration, complaining: "worker: \(error)")
        }
    }
}

/// What a worker finds where it starts, looked up while it may still look anywhere.
struct Surroundings {
    let id: WorkerID
    let sources: SourceRoots
    let outputs: OutputDirectory
    let budget: ByteCount
}
