import CommandLineOptions
import EventLog
import Files
import Glibc
import JobQueue
import MemoryBudget
import ProgramOptions
import Redis
import Threading
import Thumbnails
import Units

// Before any other thread exists: signal masks are inherited, and so are the allocator's settings.
ProcessMemory.settle()
RenderingEnvironment.settle()
let signals = ProcessSignals()
let environment = processEnvironment()

let options: WorkerOptions
do throws(UsageError) {
    switch try WorkerOptions.table.parse(Array(CommandLine.arguments.dropFirst()), environment: environment) {
    case .showHelp: end(.done, printing: WorkerOptions.table.helpText())
    case .showVersion: end(.done, printing: WorkerOptions.table.versionText)
    case .run(let values): options = WorkerOptions(values)
    }
} catch {
    end(.usage, complaining: error.description)
}

let log = EventLog(level: options.logLevel, format: options.logFormat, environment: environment)
let id = WorkerID.random()
let worker: Worker
do {
    let budget = try options.memoryBudget ?? MemoryLimit.detect().defaultBudget
    worker = Worker(
        options, sources: try SourceRoots(options.sourceRoots),
        outputs: try OutputDirectory(options.output, workerTag: id.description), id: id,
        admission: MemoryAdmission(total: max(budget, WorkerOptions.smallestBudget)), log: log)
} catch {
    end(.configuration, complaining: "worker: \(error)")
}

do throws(QueueError) { try await worker.checkQueue() } catch {
    end(exitStatus(for: error), complaining: "worker: \(error)")
}
await worker.run(signals: signals.received)
log.flush(within: .seconds(1))
exit(ExitStatus.done.rawValue)
