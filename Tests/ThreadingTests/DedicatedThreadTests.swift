import Glibc
import Testing

@testable import Threading

struct ADedicatedThreadTests {
    @Test func `join waits for the end of the closure`() {
        let done = Monitor(false)
        let thread = DedicatedThread(name: "a name longer than fifteen bytes") {
            usleep(10_000)
            done.withLock { $0 = true }
        }
        thread.join()
        thread.join()
        #expect(done.withLock { $0 })
    }

    @Test func `every signal is blocked on it`() {
        let blocked = Monitor(false)
        DedicatedThread(name: "mask") {
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            let isBlocked = unsafe sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGPIPE) == 1
            blocked.withLock { $0 = isBlocked }
        }.join()
        #expect(blocked.withLock { $0 })
    }

    @Test func `a periodic thread runs next when its last run said`() {
        let runs = Monitor(0)
        let thread = PeriodicThread(name: "tick") {
            // The second run is near, the third is not.
            runs.update {
                $0 += 1
                return $0 == 1 ? .milliseconds(2) : .seconds(3600)
            }
        }
        let reached = runs.wait(atMost: .seconds(5)) { $0 == 2 ? $0 : nil }
        usleep(10_000)
        #expect(reached != nil && runs.withLock { $0 } == 2)
        thread.stop()
    }

    @Test func `a periodic thread runs until it is stopped`() {
        let runs = Monitor(0)
        let thread = PeriodicThread(name: "tick") {
            runs.update { $0 += 1 }
            return .milliseconds(2)
        }
        let reached = runs.wait(atMost: .seconds(5)) { $0 >= 3 ? $0 : nil }
        thread.stop()
        let after = runs.withLock { $0 }
        usleep(10_000)
        #expect(reached != nil)
        #expect(runs.withLock { $0 } == after)
    }
}

struct AMonitorTests {
    @Test func `a wait without the event ends at its limit`() {
        let monitor = Monitor(false)
        let began = ContinuousClock.now
        #expect(monitor.wait(atMost: .milliseconds(20)) { $0 ? true : nil } == nil)
        #expect(ContinuousClock.now - began >= .milliseconds(20))
    }
}

struct ProcessSignalsTests {
    @Test func `a signal arrives on the stream`() async {
        let signals = ProcessSignals()
        // Sent to the waiting thread alone: other threads of the test runner leave signals open.
        signals.thread.send(SIGTERM)
        var iterator = signals.received.makeAsyncIterator()
        #expect(await iterator.next() == .terminate)
        signals.thread.send(SIGHUP)
        #expect(await iterator.next() == .hangUp)
    }
}
