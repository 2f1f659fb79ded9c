import EventLog
import Files
import Redis
import Sandbox

/// The fence that a worker puts around itself: what it needs once its folders are open and its options are read.
enum WorkerFence {
    /// To be called before there is a second thread. One event says what holds and what the kernel cannot do.
    static func raise(
        _ options: WorkerOptions, sources: SourceRoots, outputs: OutputDirectory, log: EventLog
    ) {
        guard options.sandbox == .auto else { return }
        let state = Fence.raise(
            around: needs(of: options.redis, sources: sources.directories, output: outputs.directory))
        let fields: LogFields = [
            "holds": .list(state.holds.map(\.rawValue)),
            "lacks": .list(state.lacks.map { "\($0.part.rawValue): \($0.reason)" }),
            "open": .list(state.open.map { "\($0.rawValue): Sentinel may name any as the primary's" }),
            "landlock": .integer(state.landlockVersion),
        ]
        if state.lacks.isEmpty {
            log.info("worker.fenced", fields)
        } else {
            log.warning("worker.fenced", fields)
        }
    }

    private static func needs(of redis: RedisAddress, sources: [String], output: String) -> Needs {
        // Certificates are renewed while a worker runs.
        let runtime = SystemFiles.runtime + redis.filePlaces
        switch redis.endpoint {
        // The socket's path needs no right: connecting opens no file.
        case .unix: return Needs(readable: sources, system: runtime, writable: [output], ports: [])
        case .tcp(_, let port):
            return Needs(
                readable: sources, system: runtime + SystemFiles.hostNames, writable: [output],
                ports: [port, SystemFiles.namePort])
        // After a failover the primary's port may be one that nobody knew of before, and a worker that may not go
        // there is of no use just when it is needed.
        case .sentinel:
            return Needs(
                readable: sources, system: runtime + SystemFiles.hostNames, writable: [output], ports: nil)
        }
    }
}
