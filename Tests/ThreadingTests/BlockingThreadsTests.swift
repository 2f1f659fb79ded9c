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
