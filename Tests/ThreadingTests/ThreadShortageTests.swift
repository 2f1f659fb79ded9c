import Testing

@testable import Threading

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
