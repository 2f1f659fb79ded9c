import EventLog
import Files
import JobQueue
import Threading

/// Removes, once at the start, the unfinished files of workers that died while they wrote.
///
/// A walk over the whole output directory, on a thread beside the work. What it may remove is an hour old
/// and belongs to no worker that Redis knows.
enum StrayFiles {
    static func sweep(
        _ outputs: OutputDirectory, known: OperatorQueue, on files: BlockingThreads, log: EventLog
    ) async {
        do {
            let alive = Set(try await known.audit().workers.map(\.id))
            let removed = try await files.run { () throws(FileError) in
                try outputs.sweepStrayFiles { alive.contains($0) }
            }
            if removed > 0 { log.info("output.swept", ["files": .integer(removed)]) }
        } catch {
            log.warning("output.not_swept", ["error": .string("\(error)")])
        }
    }
}
