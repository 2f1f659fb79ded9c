import Threading

/// Hands job tasks from the claim loop to the group that is their parent, so that claiming can be
/// cancelled while what was claimed goes on.
///
/// Jobs open, read and write files, which blocks: each has a blocking thread while it is not waiting.
struct JobTasks: Sendable {
    typealias Work = @Sendable () async -> Void

    private let stream: AsyncStream<Work>
    private let continuation: AsyncStream<Work>.Continuation

    private let threads: BlockingThreads
    /// Jobs that no thread has begun with.
    private let notBegun = Watched(0)

    init(on threads: BlockingThreads) {
        self.threads = threads
        (stream, continuation) = AsyncStream.makeStream(of: Work.self)
    }

    func start(_ work: @escaping Work) {
        notBegun.update { $0 += 1 }
        continuation.yield { [notBegun] in
            notBegun.update { $0 -= 1 }
            await work()
        }
    }

    /// Returns once fewer than `limit` jobs wait for their thread's turn, or once the calling task is cancelled.
    /// On a busy machine whoever starts jobs could run far ahead of them.
    func untilBegun(butFor limit: Int) async {
        await notBegun.wait { $0 < limit }
    }

    /// No more will be started.
    func close() { continuation.finish() }

    /// Runs what is started, each as a task of its own, until closed and all have ended. Cancelling it
    /// cancels them.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await work in stream { group.addTask(executorPreference: threads) { await work() } }
        }
    }
}
