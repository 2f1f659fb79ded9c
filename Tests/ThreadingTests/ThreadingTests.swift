import Glibc
import Testing

@testable import Threading

struct BlockingThreadsTests {
    private struct Refusal: Error, Equatable {}

    @Test func `a hundred calls that block overlap`() async throws {
        let threads = BlockingThreads()
        let gate = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await threads.run {
                        gate.update { $0 += 1 }
                        // Returns only when all hundred are inside.
                        _ = gate.wait { $0 == 100 ? true : nil }
                    }
                }
            }
        }
        #expect(gate.withLock { $0 } == 100)
    }

    @Test func `a call returns what the work returns`() async {
        let threads = BlockingThreads()
        let sum = await threads.run { 20 + 22 }
        #expect(sum == 42)
    }

    @Test func `a call throws what the work throws`() async {
        let threads = BlockingThreads()
        await #expect(throws: Refusal.self) {
            try await threads.run { () throws(Refusal) in throw Refusal() }
        }
    }

    @Test func `calls one after the other share a thread`() async {
        let threads = BlockingThreads()
        for _ in 0..<50 {
            await threads.run {}
            // The thread returns to the pool just after its caller goes on.
            while threads.threads > 1 { await Task.yield() }
        }
        #expect(threads.threads <= 2)
    }

    @Test func `tasks that prefer it may block, as many at a time as there are`() async {
        let threads = BlockingThreads()
        let gate = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask(executorPreference: threads) {
                    // A step after a pause has a blocking thread, too.
                    await Task.yield()
                    gate.update { $0 += 1 }
                    _ = gate.wait { $0 == 100 ? true : nil }
                }
            }
        }
        #expect(gate.withLock { $0 } == 100)
    }

    @Test func `a task that waits holds no thread`() async {
        let threads = BlockingThreads()
        let gate = Watched(false)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask(executorPreference: threads) { await gate.wait { $0 } }
                // The thread is free again before the next task comes.
                while threads.busy > 0 { await Task.yield() }
            }
            #expect(threads.threads <= 2)
            gate.update { $0 = true }
        }
    }

    @Test func `an idle thread ends, but for the last`() async throws {
        let threads = BlockingThreads(idleLimit: .milliseconds(20))
        let gate = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await threads.run {
                        gate.update { $0 += 1 }
                        _ = gate.wait { $0 >= 3 ? true : nil }
                    }
                }
            }
        }
        let deadline = ContinuousClock.now + .seconds(5)
        while threads.threads > 1 && ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(threads.threads == 1)
        await threads.run {}
        #expect(threads.threads == 1)
    }
}

/// A kernel that has no thread to give.
struct ThreadShortageTests {
    @Test func `what the kernel has no thread for runs on one that exists, and the shortage is told once`()
        async
    {
        let kernel = Monitor(Kernel(threads: 2))
        let told = Monitor<[BlockingThreads.Shortage]>([])
        let threads = BlockingThreads(name: "test", idleLimit: .seconds(60)) { shortage in
            told.update { $0.append(shortage) }
        } starter: { name, stackBytes, body in
            guard kernel.withLock({ $0.take() }) else { return false }
            return DedicatedThread.detach(name: name, stackBytes: stackBytes, body: body)
        }
        let (running, gate) = (Monitor(0), Monitor(false))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await threads.run {
                        running.update { $0 += 1 }
                        _ = gate.wait { $0 ? true : nil }
                    }
                }
            }
            while kernel.withLock(\.refused) < 48 { await Task.yield() }
            #expect(running.withLock { $0 } <= 2 && threads.threads == 2)
            #expect(told.withLock { $0 } == [.began(threads: 2)])
            gate.update { $0 = true }
        }
        #expect(running.withLock { $0 } == 50)
        // Both are free again before there is more to do than they can.
        while threads.busy > 0 { await Task.yield() }
        kernel.update { $0.threads = 1 }
        let meeting = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await threads.run {
                        meeting.update { $0 += 1 }
                        _ = meeting.wait { $0 == 3 ? true : nil }
                    }
                }
            }
        }
        #expect(told.withLock { $0 } == [.began(threads: 2), .ended])
    }

    @Test func `a pool of one thread does all that tasks ask of it, one after the other`() async {
        let kernel = Monitor(Kernel(threads: 1))
        let threads = BlockingThreads(name: "test", idleLimit: .milliseconds(1), onShortage: { _ in }) {
            guard kernel.withLock({ $0.take() }) else { return false }
            return DedicatedThread.detach(name: $0, stackBytes: $1, body: $2)
        }
        let steps = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask(executorPreference: threads) {
                    for _ in 0..<3 {
                        steps.withLock { $0 += 1 }
                        await Task.yield()
                    }
                }
            }
        }
        #expect(steps.withLock { $0 } == 300 && threads.threads == 1)
    }

    private struct Kernel {
        var threads: Int
        var refused = 0

        mutating func take() -> Bool {
            if threads == 0 { refused += 1 }
            guard threads > 0 else { return false }
            threads -= 1
            return true
        }
    }
}

struct CoreThreadsTests {
    @Test func `work starts in the order it came`() async {
        let cores = CoreThreads(count: 1)
        let gate = Monitor(false)
        let order = Monitor<[Int]>([])
        let blocked = await occupy(cores) { _ = gate.wait { $0 ? true : nil } }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { await cores.run { order.withLock { $0.append(number) } } }
                while cores.waiting < number + 1 { await Task.yield() }
            }
            gate.update { $0 = true }
        }
        await blocked.value
        #expect(order.withLock { $0 } == Array(0..<20))
    }

    /// Returns once `work` has a core; the task ends with it.
    private func occupy(
        _ cores: CoreThreads, with work: @escaping @Sendable () -> Void
    ) async -> Task<Void, Never> {
        let hasStarted = Watched(false)
        let task = Task {
            await cores.run {
                hasStarted.update { $0 = true }
                work()
            }
        }
        await hasStarted.wait { $0 }
        return task
    }

    @Test func `never more run than there are threads`() async {
        let cores = CoreThreads(count: 3)
        let running = Monitor((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    await cores.run {
                        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        usleep(200)
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(running.withLock { $0.most } == 3)
    }

    @Test func `waiting for supply returns once fewer jobs wait`() async {
        let cores = CoreThreads(count: 1)
        let gate = Monitor(0)
        let blocked = await occupy(cores) { _ = gate.wait { $0 >= 1 ? true : nil } }
        await withTaskGroup(of: Void.self) { group in
            for number in 2...3 {
                group.addTask { await cores.run { _ = gate.wait { $0 >= number ? true : nil } } }
                while cores.waiting < number - 1 { await Task.yield() }
            }
            let isOver = Monitor(false)
            group.addTask {
                await cores.untilSupplied(below: 1)
                isOver.withLock { $0 = true }
            }
            gate.update { $0 = 1 }
            while cores.waiting > 1 { await Task.yield() }
            #expect(!isOver.withLock { $0 })
            gate.update { $0 = 3 }
        }
        await blocked.value
        #expect(cores.waiting == 0)
    }

    @Test func `waiting for supply ends when its task is cancelled`() async {
        let cores = CoreThreads(count: 1)
        let gate = Monitor(false)
        let blocked = await occupy(cores) { _ = gate.wait { $0 ? true : nil } }
        let queued = Task { await cores.run {} }
        while cores.waiting < 1 { await Task.yield() }
        let waiter = Task { await cores.untilSupplied(below: 1) }
        waiter.cancel()
        await waiter.value
        #expect(cores.waiting == 1)
        gate.update { $0 = true }
        await blocked.value
        await queued.value
    }
}

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

struct AvailableProcessorsTests {
    @Test(arguments: [
        ("max 100000", nil), ("150000 100000", 2), ("200000 100000\n", 2), ("1000 100000", 1),
        ("", nil), ("-1 100000", nil), ("99 0", nil), ("99999999999999999999 1", nil),
    ])
    func `a quota is rounded up to whole processors`(text: String, expected: Int?) {
        #expect(processors(inQuota: text) == expected)
    }

    @Test func `a group and all its parents are asked for a quota`() {
        #expect(
            controlGroupFolders(ofProcess: "1:name=x:/old\n0::/a/b.service\n")
                == ["/sys/fs/cgroup/a/b.service", "/sys/fs/cgroup/a", "/sys/fs/cgroup"])
        #expect(controlGroupFolders(ofProcess: "0::/\n") == ["/sys/fs/cgroup"])
        #expect(controlGroupFolders(ofProcess: "").isEmpty)
    }

    @Test func `there is at least one and no more than are online`() {
        #expect((1...sysconf(Int32(_SC_NPROCESSORS_ONLN))).contains(availableProcessors()))
    }
}
