import Buffers
import CommandLineOptions
import EventLog
import Failpoints
import Files
import HTTP
import HTTPServer
import JobQueue
import MemoryBudget
import ProgramOptions
import Redis
import ServiceManager
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
        let surroundings = open(options, environment, log)
        let listener = listen(options)
        WorkerFence.raise(options, sources: surroundings.sources, outputs: surroundings.outputs, log: log)

        let signals = ProcessSignals()
        let worker = Worker(options, in: surroundings, log: log)
        let server = serve(worker, on: listener, log)
        runToEnd {
            defer { withExtendedLifetime(server) {} }
            guard let signals = await checkQueue(worker, RedisAdvice(options), signals.received) else {
                return .done
            }
            let status = await worker.run(signals: signals)
            log.flush(within: .seconds(1))
            return status
        }
    }

    private static func configureTestBuild(from environment: [String: String]) {
        do throws(FailpointError) { try TestBuild.configure(from: environment) } catch {
            end(.usage, complaining: "\(ProgramNames.worker): \(error)")
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
            let hint = advice.hint(for: error).map { "\n\(ProgramNames.worker): " + $0 } ?? ""
            end(exitStatus(for: error), complaining: "\(ProgramNames.worker): \(error)" + hint)
        }
        return checking.isCancelled ? nil : passedOn
    }

    private static func options(in environment: [String: String]) -> WorkerOptions {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(UsageError) {
            switch try WorkerOptions.table.parse(arguments, environment: environment) {
            case .showHelp: end(.done, printing: WorkerOptions.table.helpText())
            case .showVersion: end(.done, printing: WorkerOptions.table.versionText)
            case .generate(let artifact):
                end(generating: artifact, of: WorkerOptions.description, environment: environment)
            case .run(let values): return try WorkerOptions(values)
            }
        } catch {
            let problems = error.problems.map { "\(ProgramNames.worker): \($0)" }.joined(separator: "\n")
            end(.usage, complaining: problems + "\n\(ProgramNames.worker): see \(ProgramNames.worker) --help")
        }
    }

    /// Where the worker is asked how it is; bound while it still may be.
    private static func listen(_ options: WorkerOptions) -> ListeningSocket? {
        guard let place = options.listen else { return nil }
        do throws(HTTPError) { return try ListeningSocket(on: place) } catch {
            let advice =
                error.isAddressInUse
                ? "\nworker: is another worker running here? give each a port of its own with --listen, or "
                    + "\(HostAndPort(host: place.host, port: 0)) for any that is free"
                : ""
            end(.configuration, complaining: "worker: \(error)" + advice)
        }
    }

    private static func serve(
        _ worker: Worker, on socket: consuming ListeningSocket?, _ log: EventLog
    ) -> PageServer? {
        guard let socket else { return nil }
        let place = socket.place
        do throws(HTTPError) {
            let server = try PageServer(on: socket) { worker.pages.page(at: $0) }
            log.info(
                "worker.listening",
                [
                    "address": .string(place.description), "port": .integer(Int(place.port)),
                    "paths": .list(StatusPages.paths),
                ])
            return server
        } catch {
            end(.configuration, complaining: "worker: \(error)")
        }
    }

    private static func open(
        _ options: WorkerOptions, _ environment: [String: String], _ log: EventLog
    ) -> Surroundings {
        let id = WorkerID.random()
        do {
            try options.redis.readFiles()
            let budget = try options.memoryBudget ?? MemoryLimit.detect().defaultBudget
            return Surroundings(
                id: id,
                sources: directory("--source-root", "THUMBNAIL_SOURCE_ROOTS") { () throws(FileError) in
                    try SourceRoots(options.sourceRoots)
                },
                outputs: directory("--output", "THUMBNAIL_OUTPUT") { () throws(FileError) in
                    let outputs = try OutputDirectory(options.output, workerTag: id.description)
                    // Else every job would be tried five times before somebody noticed.
                    try outputs.checkWritable()
                    return outputs
                },
                budget: max(budget, WorkerOptions.smallestBudget),
                serviceManager: serviceManager(in: environment, log), process: ProcessFigures())
        } catch {
            end(.configuration, complaining: "\(ProgramNames.worker): \(error)")
        }
    }

    /// Whoever started the worker may have set one of many variables, so the message names which.
    private static func directory<Opened>(
        _ option: String, _ variable: String, _ open: () throws(FileError) -> Opened
    ) -> Opened {
        do throws(FileError) { return try open() } catch {
            end(
                .configuration,
                complaining:
                    "\(ProgramNames.worker): \(option): \(error)\n\(ProgramNames.worker): is its disk "
                    + "mounted here, and may this user use it? name a directory of this host with \(option) or \(variable)"
            )
        }
    }

    /// A worker works also for a manager that cannot be reached; it will be the one to complain.
    private static func serviceManager(
        in environment: [String: String], _ log: EventLog
    ) -> ServiceConnection? {
        do throws(NotifyError) { return try ServiceConnection(environment) } catch {
            log.warning("worker.not_notifying", ["error": .text(of: error)])
            return nil
        }
    }
}

/// What a worker finds where it starts, looked up while it may still look anywhere.
struct Surroundings {
    let id: WorkerID
    let sources: SourceRoots
    let outputs: OutputDirectory
    let budget: ByteCount
    /// Nil where nobody started the worker as a service.
    let serviceManager: ServiceConnection?
    let process: ProcessFigures
}
