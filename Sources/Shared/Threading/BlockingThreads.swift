/// An elastic pool of threads for calls that block: opening, reading and writing files.
///
/// Each call has a thread of its own at once; a thread that has been idle for a few seconds ends, but for the last.
/// There is no cap, because the memory budget already bounds how much work exists: a hundred slow
/// sources overlap as a hundred threads with small stacks. Where the kernel has no thread more to give, work waits
/// for one of those that exist.
///
/// Also an executor: a task that prefers it has such a thread for each of its steps, and may block there
/// without a hop to another thread and back.
public final class BlockingThreads: TaskExecutor {
    /// Files, a picture's header with libexif, planning and a result's JSON need little; a stack is address space until it is touched.
    public static let stackBytes = 256 << 10
    /// Long enough to be reused between jobs, short enough that a burst does not linger.
    public static let idleLimit = Duration.seconds(5)

    private typealias Work = @Sendable () -> Void
    /// Where one thread finds its work.
    private typealias Box = Monitor<Work?>

    private struct State {
        /// Threads without work; the last is the one that worked last.
        var idle: [Box] = []
        var threads = 0
        /// Work for which the kernel refused a thread.
        var left: [Work] = []
        /// The kernel refused the last thread that it was asked for.
        var isShort = false
        var isClosed = false
    }

    /// Starts a thread with a name and a stack of so many bytes; false when the kernel refuses.
    typealias Starter = @Sendable (String, Int, @escaping @Sendable () -> Void) -> Bool

    /// What became of the supply of threads.
    public enum Shortage: Sendable, Equatable {
        /// The kernel refused a thread; so many exist, and what they cannot do at once waits.
        case began(threads: Int)
        /// It has given one again.
        case ended
    }

    private let name: String
    private let idleLimit: Duration
    private let state = Monitor(State())
    private let starter: Starter
    private let onShortage: @Sendable (Shortage) -> Void

    /// Starts the first thread, which stays: whatever the kernel refuses later, work goes on.
    ///
    /// Traps when the kernel refuses that one: a process that cannot start its few fixed threads cannot run.
    ///
    /// - Parameter onShortage: told once when threads run short and once when they no longer do, on any thread.
    public convenience init(
        name: String = "blocking", idleLimit: Duration = BlockingThreads.idleLimit,
        onShortage: @escaping @Sendable (Shortage) -> Void = { _ in }
    ) {
        self.init(name: name, idleLimit: idleLimit, onShortage: onShortage) {
            DedicatedThread.detach(name: $0, stackBytes: $1, body: $2)
        }
    }

    init(
        name: String, idleLimit: Duration, onShortage: @escaping @Sendable (Shortage) -> Void,
        starter: @escaping Starter
    ) {
        self.name = name
        self.idleLimit = idleLimit
        self.onShortage = onShortage
        self.starter = starter
        let box = Box(nil)
        state.withLock { state in
            state.threads = 1
            state.idle = [box]
        }
        precondition(start(box), "the kernel refused the first thread of the pool \(name)")
    }

    deinit {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for box in idle { box.updateWakingOne { $0 = {} } }
    }

    /// Threads that exist now, idle ones included.
    public var threads: Int { state.withLock(\.threads) }

    /// Threads that have work now.
    var busy: Int { state.withLock { $0.threads - $0.idle.count } }

    /// Runs `work` on a thread of its own and returns or throws what it does.
    /// It runs to its end also when the calling task is cancelled.
    public func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
            submit {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
        }
        return try outcome.get()
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private func submit(_ work: @escaping Work) {
        // The thread that worked last: what it needs is still in the cache, and those that only a burst needed
        // come to their end.
        let idle = state.withLock { state in
            let idle = state.idle.popLast()
            if idle == nil { state.threads += 1 }
            return idle
        }
        if let idle { return idle.updateWakingOne { $0 = work } }
        guard start(Box(work)) else { return leave(work) }
        let wasShort = state.withLock { state in
            defer { state.isShort = false }
            return state.isShort
        }
        if wasShort { onShortage(.ended) }
    }

    private func start(_ box: Box) -> Bool {
        starter(name, Self.stackBytes) { [state, idleLimit] in
            Self.serve(box, state, idleLimit: idleLimit)
        }
    }

    /// Refused by the kernel (its limit of threads): an existing thread takes the work, now or later.
    private func leave(_ work: @escaping Work) {
        let (idle, threads, wasShort) = state.withLock { state in
            state.threads -= 1
            let idle = state.idle.popLast()
            if idle == nil { state.left.append(work) }
            defer { state.isShort = true }
            return (idle, state.threads, state.isShort)
        }
        idle?.updateWakingOne { $0 = work }
        if !wasShort { onShortage(.began(threads: threads)) }
    }

    private static func serve(_ box: Box, _ state: Monitor<State>, idleLimit: Duration) {
        while let work = box.wait(atMost: idleLimit, until: { $0.take() }) ?? lastLook(box, state) {
            work()
            let goesOn = state.withLock { state in
                if state.left.isEmpty {
                    if state.isClosed { return false }
                    state.idle.append(box)
                } else {
                    let left = state.left.removeFirst()
                    box.withLock { $0 = left }
                }
                return true
            }
            if !goesOn { return }
        }
    }

    /// After a long wait: nil if the thread may end.
    private static func lastLook(_ box: Box, _ state: Monitor<State>) -> Work? {
        let mayEnd = state.withLock { state in
            // The kernel might refuse the next first one.
            guard state.threads > 1, let place = state.idle.firstIndex(where: { $0 === box }) else {
                return false
            }
            state.idle.remove(at: place)
            state.threads -= 1
            return true
        }
        // The last one; or idle no more: somebody is about to hand over work.
        return mayEnd ? nil : box.wait { $0.take() }
    }
}
