import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// What a fleet costs that has nothing to do.
struct IdleCostTests {
    @Test func `ten idle workers send less than a command a second each, and use hardly any processor`()
        async throws
    {
        let fleet = try await TestFleet()
        let (count, seconds) = (10, 20)
        // Scraped or not: what a worker tells of the queue comes with its lease.
        let workers = try (0..<count).map { _ in try fleet.askableWorker() }
        for worker in workers { try await fleet.untilAsleep(worker) }
        let commands = try await commands(fleet)
        let used = workers.map(\.processorTime)
        try await Task.sleep(for: .seconds(seconds))
        let sent = try await self.commands(fleet) - commands
        #expect(sent <= count * seconds, "\(sent)")
        for (worker, before) in zip(workers, used) {
            let used = worker.processorTime - before
            #expect(used <= .milliseconds(10 * seconds), "\(used) of \(seconds) s")
        }
        await fleet.stop(workers)
    }

    /// Commands that workers send; other clients of this test send none of these.
    private func commands(_ fleet: TestFleet) async throws -> Int {
        let counts = try await fleet.commands()
        return ["eval", "evalsha", "blmove", "brpop", "client|unblock", "ping", "hello"].reduce(0) {
            $0 + counts[$1, default: 0]
        }
    }
}
