/// A thread that runs a closure again and again, by the monotonic clock, until stopped. The closure says
/// each time how long after its start it is to run next.
///
/// For work that must happen on time while every core and all of Swift's pool are busy: a lease.
public final class PeriodicThread: Sendable {
    private let isStopped: Monitor<Bool>
    private let thread: DedicatedThread

    /// Runs `body` at once, and then whenever it said; a late run is not made up for.
    public init(name: String, body: @escaping @Sendable () -> Duration) {
        let isStopped = Monitor(false)
        self.isStopped = isStopped
        thread = DedicatedThread(name: name) {
            let clock = ContinuousClock()
            while true {
                let start = clock.now
                let next = start.advanced(by: body())
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
