/// The names of one queue's keys. They all hash to one cluster slot, that of the user's own list:
/// `{q}` tags like `q`, and a tag that the name already has is kept.
public struct QueueKeys: Sendable, Equatable {
    public static let defaultName = "thumbnails"

    /// The list producers push to, spelled as the user spelled it.
    public let queue: String
    private let prefix: String

    public init(queue: String = QueueKeys.defaultName) {
        precondition(!queue.isEmpty, "a queue has a name")
        self.queue = queue
        prefix = (Self.hasTag(queue) ? queue : "{\(queue)}") + ":"
    }

    public var workers: String { prefix + "workers" }
    public var attempts: String { prefix + "attempts" }
    public var counters: String { prefix + "counters" }
    public var delayed: String { prefix + "delayed" }
    public var dead: String { prefix + "dead" }
    public var results: String { prefix + "results" }
    public var paused: String { prefix + "paused" }
    public func list(of worker: WorkerID) -> String { prefix + "worker:\(worker)" }
    public func info(of worker: WorkerID) -> String { prefix + "worker:\(worker):info" }
    public func batch(_ name: String) -> String { prefix + "batch:\(name)" }

    /// What a status look remembers for the next one; expires.
    public var watch: String { prefix + "watch" }

    /// Before a worker's id in the name of its list.
    var workerPrefix: String { prefix + "worker:" }
    /// Before a batch's name in the name of its hash.
    var batchPrefix: String { prefix + "batch:" }

    /// Matches every key of the queue but the list itself, as for an access list.
    public var pattern: String { prefix + "*" }

    /// KEYS of every script, in the order that prelude.lua names them.
    var shared: [String] { [queue, workers, attempts, counters, delayed, dead, results, paused] }

    /// Keys that stay, with or without jobs. Everything else expires.
    public var constant: Set<String> { [queue, workers, attempts, counters, delayed, dead, results, paused] }

    /// Redis hashes what stands between the first `{` and the next `}`, if that is not empty.
    private static func hasTag(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard let open = bytes.firstIndex(of: UInt8(ascii: "{")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: "}"))
        else { return false }
        return close > open + 1
    }
}

/// Names one life of one worker process. Random, never the host's name: in containers those repeat,
/// and a new process must not inherit the jobs of a dead one.
public struct WorkerID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ name: String) {
        precondition(!name.isEmpty && name.utf8.count <= 64, "a worker id has 1 to 64 bytes")
        description = name
    }

    /// How the worker's connections are named in Redis.
    public var connectionName: String { Self.connectionName(of: description) }

    /// The same for a name that Redis told, whatever it is.
    static func connectionName(of worker: String) -> String { "worker:" + worker }

    public static func random() -> WorkerID {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next(), radix: 16)
        return WorkerID("w" + String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
