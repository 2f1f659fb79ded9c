/// An elastic pool of threads for calls that block: opening, reading and writing files.
///
/// Each call has a thread of its own at once; a thread that has been idle for a few seconds ends.
/// There is no cap, because the memory budget already bounds how much work exists: a hundred slow
/// sources overlap as a hundred threads with small stacks.
///
/// Also an executor: a task that prefers it has such a thread for each of its steps, and may block there
/// without a hop to another thread and back.
public final class BlockingThreads: TaskExecutor {
    /// Opening, reading and writing need little; a stack is address space until it is touched.
    public static let stackBytes = 256 << 10
    /// Long enough to be reused between jobs, short enough that a burst does not linger.
    public static let idleLimit = Duration.seconds(5)

    private struct State {
        var work: [@Sendable () -> Void] = []
        var idle = 0
        var threads = 0
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

    /// Threads that have work now, and work for which one is being woken.
    var busy: Int { state.withLock { max($0.threads - $0.idle, $0.work.count) } }

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

    private func submit(_ work: @escaping @Sendable () -> Void) {
        let needsThread = state.updateWakingOne { state in
            state.work.append(work)
            // A woken thread still counts as idle until it takes its work, and so does the work.
            guard state.idle < state.work.count else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        let started = DedicatedThread.detach(name: name, stackBytes: Self.stackBytes) { [state, idleLimit] in
            Self.serve(state, idleLimit: idleLimit)
        }
        guard !started else { return }
        // Refused by the kernel (its limit of threads): an existing thread will take the work later.
        let remaining = state.withLock { state in
            state.threads -= 1
            return state.threads
        }
        precondition(remaining > 0, "the kernel refused the first thread of the pool \(name)")
    }

    private static func serve(_ state: Monitor<State>, idleLimit: Duration) {
        state.withLock { $0.idle += 1 }
        while true {
            let work = state.wait(atMost: idleLimit) { state -> (@Sendable () -> Void)? in
                guard !state.work.isEmpty else { return nil }
                state.idle -= 1
                return state.work.removeFirst()
            }
            if let work {
                work()
                state.withLock { $0.idle += 1 }
            } else if state.withLock({ state in
                // Work may have come between the end of the wait and here.
                guard state.work.isEmpty else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }) {
                return
            }
        }
    }
}
