internal import Synchronization

/// A state behind a lock that tasks can wait on: each change wakes those whose condition has come true.
public final class Watched<State: Sendable>: Sendable {
    private struct Watcher {
        let number: UInt64
        let isDue: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Content {
        var state: State
        /// A handful at most.
        var watchers: [Watcher] = []
        var lastWatcher: UInt64 = 0
    }

    private let content: Mutex<Content>

    public init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// Looks at the state.
    public func read<Result: Sendable>(_ look: (State) -> Result) -> Result {
        content.withLock { look($0.state) }
    }

    /// Changes the state and wakes whoever waited for it.
    @discardableResult
    public func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, due) = content.withLock { content in
            let result = change(&content.state)
            // Mostly nobody waits.
            guard !content.watchers.isEmpty else { return (result, [Watcher]()) }
            let state = content.state
            let due = content.watchers.filter { $0.isDue(state) }
            if !due.isEmpty { content.watchers.removeAll { $0.isDue(state) } }
            return (result, due)
        }
        for watcher in due { watcher.continuation.resume() }
        return result
    }

    /// Returns once the condition holds, at once if it does, or once the calling task is cancelled.
    public func wait(until isDue: @escaping @Sendable (State) -> Bool) async {
        let number = content.withLock { content in
            content.lastWatcher += 1
            return content.lastWatcher
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = content.withLock { content in
                    // Read under the lock: a cancellation sets the flag before it calls the handler, so
                    // either the flag is seen here or the handler finds the watcher.
                    guard !Task.isCancelled, !isDue(content.state) else { return false }
                    content.watchers.append(
                        Watcher(number: number, isDue: isDue, continuation: continuation))
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            let watcher = content.withLock { content in
                content.watchers.firstIndex { $0.number == number }.map { content.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume()
        }
    }
}
