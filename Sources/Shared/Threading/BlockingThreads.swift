/// An elastic pool of threads for calls that block: opening, reading and writing files.
///
/// Each call has a thread of its own at once; a thread that has been idle for a few seconds ends.
/// There is no cap, because the memory budget already bounds how much work exists: a hundred slow
/// sources overlap as a hundred threads with small stacks.
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
    }

    private let name: String
    private let idleLimit: Duration
    private let state = Monitor(State())

    public init(name: String = "blocking", idleLimit: Duration = BlockingThreads.idleLimit) {
        self.name = name
        self.idleLimit = idleLimit
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
        let box = Box(work)
        let started = DedicatedThread.detach(name: name, stackBytes: Self.stackBytes) { [state, idleLimit] in
            Self.serve(box, state, idleLimit: idleLimit)
        }
        if !started { leave(work) }
    }

    /// Refused by the kernel (its limit of threads): an existing thread takes the work, now or later.
    private func leave(_ work: @escaping Work) {
        let (remaining, idle) = state.withLock { state in
            state.threads -= 1
            let idle = state.idle.popLast()
            if idle == nil { state.left.append(work) }
            return (state.threads, idle)
        }
        precondition(remaining > 0, "the kernel refused the first thread of the pool \(name)")
        idle?.updateWakingOne { $0 = work }
    }

    private static func serve(_ box: Box, _ state: Monitor<State>, idleLimit: Duration) {
        while let work = box.wait(atMost: idleLimit, until: { $0.take() }) ?? lastLook(box, state) {
            work()
            state.withLock { state in
                guard !state.left.isEmpty else { return state.idle.append(box) }
                let left = state.left.removeFirst()
                box.withLock { $0 = left }
            }
        }
    }

    /// After a long wait: nil if the thread may end.
    private static func lastLook(_ box: Box, _ state: Monitor<State>) -> Work? {
        let mayEnd = state.withLock { state in
            guard let place = state.idle.firstIndex(where: { $0 === box }) else { return false }
            state.idle.remove(at: place)
            state.threads -= 1
            return true
        }
        // Idle no more: somebody is about to hand over work.
        return mayEnd ? nil : box.wait { $0.take() }
    }
}
