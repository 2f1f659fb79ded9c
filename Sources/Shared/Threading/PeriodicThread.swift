/// A thread that runs a closure again and again, by the monotonic clock, until stopped.
///
/// For work that must happen on time while every core and all of Swift's pool are busy: a lease.
public final class PeriodicThread: Sendable {
    private let isStopped: Monitor<Bool>
    private let thread: DedicatedThread

    /// Runs `body` at once and then `interval` after each start of it; a late run is not made up for.
    public init(name: String, every interval: Duration, body: @escaping @Sendable () -> Void) {
        let isStopped = Monitor(false)
        self.isStopped = isStopped
        thread = DedicatedThread(name: name) {
            let clock = ContinuousClock()
            while true {
                let next = clock.now.advanced(by: interval)
                body()
                if isStopped.wait(atMost: clock.now.duration(to: next), until: { $0 ? true : nil }) != nil {
                    return
                }
            }
        }
    }

    /// Ends the thread; a run in progress is waited for. Blocks the calling thread meanwhile.
    public func stop() {
        isStopped.update { $0 = true }
        thread.join()
    }

    deinit { isStopped.update { $0 = true } }
}
