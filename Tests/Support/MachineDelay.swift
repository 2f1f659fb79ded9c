import Synchronization

/// How slow the machine itself was while something was measured: how long a step took that does nothing, of
/// this process and of a child.
///
/// Tests of a promised time run beside others that keep every core busy. A fixed limit fails on such a machine
/// for no fault of the product, and a generous one sees nothing on a quiet machine, where a step takes some
/// milliseconds.
public struct MachineDelay: Sendable {
    /// On average, of all steps that were taken meanwhile, one after the other.
    public let step: Duration

    /// For something that goes through so many steps, each as late as one that does nothing.
    public func allowance(steps: Int) -> Duration { step * steps }

    private static let pace = Duration.milliseconds(20)

    /// Runs `work` and measures the machine meanwhile.
    public static func measured<Value: Sendable>(
        during work: () async throws -> Value
    ) async throws -> (value: Value, took: Duration, delay: MachineDelay) {
        let isOver = Flag()
        let probe = Task {
            var times: [Duration] = []
            repeat {
                let start = ContinuousClock.now
                _ = try await ChildProcess("/bin/true").wait()
                // However late this task goes on is a delay, too: Swift's pool is shared with other tests.
                try await Task.sleep(for: Self.pace)
                times.append(ContinuousClock.now - start - Self.pace)
            } while !isOver.isSet
            return times.reduce(.zero, +) / times.count
        }
        let start = ContinuousClock.now
        defer { isOver.set() }
        let value = try await work()
        let took = ContinuousClock.now - start
        isOver.set()
        return (value, took, MachineDelay(step: try await probe.value))
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}
