import FleetSupport
import JobQueue
import ServiceManager
import TestSupport
import Testing

/// What a worker tells the service manager that started it, behind its fence.
struct ServiceTests {
    @Test(arguments: [false, true])
    func `it says when it works, how it is, that it lives, and that it stops`(isAbstract: Bool) async throws {
        let fleet = try await TestFleet()
        let manager = try TestServiceManager(isAbstract: isAbstract)
        let worker = try fleet.worker(environment: Self.environment(manager, watchdog: "400000"))
        try await Self.hear("READY=1", manager)
        try await Self.hear("WATCHDOG=1", manager)
        try await fleet.push(TestFleet.job("one"))
        try await Self.hear("STATUS=ready; 0 running, 0.0 jobs/s, 1 finished, 0 failed", manager)
        try await Self.hear("WATCHDOG=1", manager)
        worker.send(15)
        try await Self.hear("STOPPING=1", manager)
        #expect(await worker.wait() == .status(0))
    }

    @Test func `what a busy manager does not take at once is said again`() async throws {
        let fleet = try await TestFleet()
        let manager = try TestServiceManager(isAbstract: false)
        let others = try NotifySocket(at: manager.address)
        // The kernel keeps a few messages for a manager that does not read.
        while others.send(["STATUS=of others"]) {}
        let worker = try fleet.worker(environment: Self.environment(manager, watchdog: "200000"))
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        try await Self.hear("READY=1", manager)
        await fleet.stop([worker])
    }

    @Test func `a claim loop that is parked starves the watchdog`() async throws {
        let fleet = try await TestFleet()
        let manager = try TestServiceManager(isAbstract: false)
        var environment = Self.environment(manager, watchdog: "200000")
        environment["THUMBNAIL_FAILPOINT"] = "before-wait=hang"
        environment["THUMBNAIL_TEST_STALL_MS"] = "1000"
        let worker = try fleet.worker(environment: environment)
        try await Self.hear("READY=1", manager)
        try await Self.hear("WATCHDOG=1", manager)
        let status = try await Self.hear("STATUS=the claim loop has not moved for ", manager)
        #expect(status.contains(", and nothing holds it back; 0 running"), "\(status)")
        // The thread goes on: its line of the status grows older. Of ten more, none feeds the watchdog.
        for _ in 0..<10 {
            let heard = try await Self.hear("", manager)
            #expect(heard.hasPrefix("STATUS="), "\(heard)")
        }
        #expect(worker.isRunning)
    }

    @Test func `until Redis has answered it is not ready, and lives`() async throws {
        let fleet = try await TestFleet()
        try await fleet.operators.pause(because: "a test")
        let manager = try TestServiceManager(isAbstract: false)
        fleet.redis.freeze()
        let worker = try fleet.worker(environment: Self.environment(manager, watchdog: nil))
        // Connected, greeted by nobody.
        try await eventually("the worker to be there") {
            worker.standardError.contains("redis.outage_began") ? () : nil
        }
        #expect(manager.receive().isEmpty)
        fleet.redis.thaw()
        try await Self.hear("READY=1", manager)
        try await Self.hear("STATUS=ready; the queue is paused; 0 running", manager)
        await fleet.stop([worker])
    }

    @Test func `a manager that is not there is told of, and the worker works`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(environment: ["NOTIFY_SOCKET": "/nowhere/notify"])
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        #expect(worker.standardError.contains(#""event":"worker.not_notifying""#))
        await fleet.stop([worker])
    }

    private static func environment(_ manager: TestServiceManager, watchdog: String?) -> [String: String] {
        var environment = ["NOTIFY_SOCKET": manager.address]
        environment["WATCHDOG_USEC"] = watchdog
        return environment
    }

    /// Waits for an assignment that begins so, and answers it; passes over others.
    @discardableResult
    private static func hear(_ start: String, _ manager: TestServiceManager) async throws -> String {
        try await eventually("the service manager to hear \(start)") {
            var heard = manager.receive()
            while !heard.isEmpty {
                if let found = heard.first(where: { $0.hasPrefix(start) }) { return found }
                heard = manager.receive()
            }
            return nil
        }
    }
}
