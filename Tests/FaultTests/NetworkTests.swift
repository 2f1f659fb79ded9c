import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Networks that stall, lose, slow down or refuse, between a worker and a Redis that is well.
struct NetworkTests {
    @Test func `a network that stalls for longer than an answer may take is served when it is back`()
        async throws
    {
        let (fleet, proxy, worker) = try await sleeping()
        proxy.freeze()
        // Redis hands it to the move that sleeps there: its answer is stuck in the network.
        try await push(3, to: fleet)
        try await Task.sleep(for: .seconds(8))
        proxy.thaw()
        try await expectService(of: 3, by: worker, fleet)
    }

    @Test func `answers that are lost for longer than a lease cost no job and no attempt`() async throws {
        let (fleet, proxy, worker) = try await sleeping()
        proxy.swallowReplies()
        try await push(3, to: fleet)
        try await Task.sleep(for: .seconds(12))
        proxy.swallowReplies(false)
        try await expectService(of: 3, by: worker, fleet)
    }

    @Test func `a worker that is refused for five seconds is at work two seconds after`() async throws {
        let (fleet, proxy, worker) = try await sleeping()
        proxy.refuse()
        proxy.cut()
        try await push(3, to: fleet)
        try await Task.sleep(for: .seconds(5))
        proxy.accept()
        try await expectService(of: 3, by: worker, fleet)
    }

    @Test func `a worker far away keeps its lease and does its jobs`() async throws {
        let fleet = try await TestFleet()
        let proxy = try FaultProxy(before: fleet.redis.address)
        proxy.delay(requests: .milliseconds(300), replies: .milliseconds(300))
        let lease = ["THUMBNAIL_TEST_LEASE_MS": "4000"]
        let far = try fleet.worker(redis: proxy.url, environment: lease)
        let id = try await fleet.id(of: far)
        try await fleet.untilRenewed(1, far)
        // It would take what the other loses.
        let near = try fleet.worker(environment: lease)
        _ = try await fleet.id(of: near)
        let end = ContinuousClock.now + .seconds(12)
        var pushed = 0
        while ContinuousClock.now < end {
            try await push(1, to: fleet, from: pushed)
            pushed += 1
            let audit = try await fleet.operators.audit()
            let found = try #require(audit.workers.first { $0.id == id.description })
            #expect(found.leaseLeft > .zero)
            try await Task.sleep(for: .milliseconds(200))
        }
        let results = try await fleet.results(pushed)
        #expect(results.count == pushed && results.allSatisfy { $0.status == .done && $0.attempt == 1 })
        #expect(results.contains { $0.worker == id.description }, "or it did nothing")
        #expect(!far.standardError.contains("redis.outage_began"))
        for worker in [far, near] {
            worker.send(15)
            #expect(await worker.wait() == .status(0))
        }
        try await fleet.expectAllSettled()
    }

    @Test func `a worker that is cut off loses its job to another and publishes nothing of it, however late`()
        async throws
    {
        let fleet = try await TestFleet()
        let proxy = try FaultProxy(before: fleet.redis.address, scripts: CutScenario.scriptNames)
        // The files are written, and the finish is on its way.
        proxy.plan(.hold, .before, command: 1, named: "finish")
        let lease = ["THUMBNAIL_TEST_LEASE_MS": "2000"]
        let cutOff = try fleet.worker(redis: proxy.url, environment: lease)
        try await push(1, to: fleet)
        #expect(await proxy.untilHit(atMost: .seconds(20)) != nil)
        proxy.freeze()
        let other = try fleet.worker(environment: lease)
        let result = try await fleet.results(1)[0]
        let heir = try await fleet.id(of: other).description
        #expect(result.attempt == 2 && result.worker == heir)
        // Now the first finish arrives at Redis after all.
        proxy.thaw()
        try await eventually("the first worker to see that the job is not its own") {
            cutOff.standardError.contains("job.stale") ? () : nil
        }
        other.send(15)
        #expect(await other.wait() == .status(0))
        try await push(3, to: fleet, from: 1)
        let results = try await fleet.results(4)
        let first = try await fleet.id(of: cutOff).description
        #expect(
            results.count == 4 && results.dropFirst().allSatisfy { $0.attempt == 1 && $0.worker == first })
        cutOff.send(15)
        #expect(await cutOff.wait() == .status(0))
        try await fleet.expectAllSettled()
    }

    /// A worker that sleeps in Redis, on the other side of a proxy.
    private func sleeping() async throws -> (TestFleet, FaultProxy, ChildProcess) {
        let fleet = try await TestFleet()
        let proxy = try FaultProxy(before: fleet.redis.address)
        let worker = try fleet.worker(redis: proxy.url)
        try await fleet.untilAsleep(worker)
        return (fleet, proxy, worker)
    }

    private func push(_ count: Int, to fleet: TestFleet, from first: Int = 0) async throws {
        for number in first..<first + count {
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
    }

    /// The fault is over now: the jobs are done within two seconds, on their first attempt, and the log has one
    /// line for each end of the outage. A busy machine gets more time.
    private func expectService(of count: Int, by worker: ChildProcess, _ fleet: TestFleet) async throws {
        let (results, took, delay) = try await MachineDelay.measured { try await fleet.results(count) }
        // Connecting, renewing, claiming, reading, decoding, writing and finishing, of several jobs.
        let limit = Duration.seconds(2) + delay.allowance(steps: 10)
        #expect(took < limit, "\(took) of \(limit), \(worker.standardError)")
        #expect(results.count == count && results.allSatisfy { $0.status == .done && $0.attempt == 1 })
        try await eventually("the end of the outage") {
            worker.standardError.contains("redis.outage_ended") ? () : nil
        }
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        let log = worker.standardError
        #expect(log.ranges(of: "redis.outage_began").count == 1, "\(log)")
        #expect(log.ranges(of: "redis.outage_ended").count == 1, "\(log)")
        try await fleet.expectAllSettled()
    }
}
