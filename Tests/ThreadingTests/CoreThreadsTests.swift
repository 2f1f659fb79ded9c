import Glibc
import Testing

@testable import Threading

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
