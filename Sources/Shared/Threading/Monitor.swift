import Glibc

/// A value behind a lock, with a condition that blocked threads wait on.
///
/// `Synchronization.Mutex` has no way to wait, so this is the lock for everything that parks a *thread*.
/// Never wait here on Swift's cooperative pool.
@safe
public final class Monitor<State: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `mutex` guards `state`. The C objects may not move,
    // which is why they live behind pointers.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    public init(_ state: State) {
        self.state = state
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Limits are lengths of time: setting the wall clock must not stretch them.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let results = unsafe (pthread_mutex_init(mutex, nil), pthread_cond_init(changed, &attributes))
        precondition(results == (0, 0), "a lock could not be made")
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Reads or changes the value; wakes nobody.
    public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the value and wakes every waiting thread, each of which looks again.
    public func update<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Changes the value and wakes one waiting thread: for waiters that are all alike.
    public func updateWakingOne<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_signal(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Blocks the calling thread until `ready` returns a value, and returns that value.
    /// `nil` when `limit` passed first; without a limit it waits for ever.
    public func wait<Result>(atMost limit: Duration? = nil, until ready: (inout State) -> Result?) -> Result?
    {
        var deadline = limit.map(Self.monotonicInstant(after:))
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = ready(&state) { return result }
            let status =
                if deadline == nil {
                    unsafe pthread_cond_wait(changed, mutex)
                } else {
                    unsafe pthread_cond_timedwait(changed, mutex, &deadline!)
                }
            if status == ETIMEDOUT { return ready(&state) }
        }
    }

    private static func monotonicInstant(after length: Duration) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = max(length, .zero).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        // A limit of centuries is "for ever"; the clamp keeps the sum in range.
        let whole = now.tv_sec + Int(min(seconds, Int64(Int32.max))) + nanoseconds / 1_000_000_000
        return timespec(tv_sec: whole, tv_nsec: nanoseconds % 1_000_000_000)
    }
}
