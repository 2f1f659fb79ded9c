/// A fixed number of threads, one a core, that decode first come, first served.
///
/// This orders work; it bounds no concurrency of jobs. Decoding on more threads than cores only
/// adds memory and cache misses.
public final class CoreThreads: Sendable {
    /// Decoders recurse little, yet libjpeg's and the resampler's frames are large.
    public static let stackBytes = 1 << 20

    private struct State {
        var work: [@Sendable () -> Void] = []
        var isClosed = false
        var watchers: [Int: Watcher] = [:]
        var nextWatcher = 0
    }

    /// A task that sleeps until fewer than `limit` jobs wait.
    private struct Watcher {
        let limit: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Number of threads.
    public let count: Int
    private let state = Monitor(State())
    private let threads: [DedicatedThread]

    /// `count` defaults to what the scheduler grants this process, see `availableProcessors()`.
    public init(count: Int = availableProcessors(), name: String = "core") {
        precondition(count >= 1, "at least one thread")
        self.count = count
        threads = (0..<count).map { [state] index in
            DedicatedThread(name: "\(name)-\(index)", stackBytes: Self.stackBytes) { Self.serve(state) }
        }
    }

    deinit { state.update { $0.isClosed = true } }

    /// Jobs supplied that no thread has started yet.
    public var waiting: Int { state.withLock(\.work.count) }

    /// Runs `work` on the next free core and returns or throws what it does.
    /// It runs to its end also when the calling task is cancelled.
    public func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
            state.updateWakingOne { state in
                state.work.append {
                    continuation.resume(returning: Result { () throws(Failure) in try work() })
                }
            }
        }
        return try outcome.get()
    }

    /// Returns once fewer than `limit` jobs wait, or once the calling task is cancelled.
    public func untilSupplied(below limit: Int) async {
        precondition(limit >= 1, "fewer than none can never wait")
        let id = state.withLock { state in
            state.nextWatcher += 1
            return state.nextWatcher
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if Task.isCancelled || state.work.count < limit { return true }
                    state.watchers[id] = Watcher(limit: limit, continuation: continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    private static func serve(_ state: Monitor<State>) {
        while true {
            let next = state.wait { state -> (work: (@Sendable () -> Void)?, due: [Watcher])? in
                guard !state.work.isEmpty else { return state.isClosed ? (nil, []) : nil }
                let work = state.work.removeFirst()
                let due = state.watchers.filter { state.work.count < $0.value.limit }
                for id in due.keys { state.watchers[id] = nil }
                return (work, Array(due.values))
            }
            for watcher in next?.due ?? [] { watcher.continuation.resume() }
            guard let work = next?.work else { return }
            work()
        }
    }
}
