import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// A worker that is told to stop while pictures are being decoded that take seconds.
struct ShutdownTests {
    private static let slowJobs = 6

    @Test func `what runs at the first signal is finished, what waits is left`() async throws {
        let (fleet, worker) = try await busyFleet(bands: 5)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        let audit = try await fleet.operators.audit()
        let finished = audit.counters["finished", default: 0]
        #expect(finished >= 1 && audit.waiting == Self.slowJobs - finished, "\(audit)")
        #expect(audit.running == 0 && audit.counters["released"] == nil && audit.workers.isEmpty)
        try await fleet.expectConservation()
    }

    @Test func `a second signal within the drain gives back at once and costs no attempt`() async throws {
        let (fleet, worker) = try await busyFleet(bands: 35)
        worker.send(15)
        try await eventually("the drain") {
            worker.standardError.contains("worker.draining") ? () : nil
        }
        let second = ContinuousClock.now
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(ContinuousClock.now - second < .seconds(1))
        try await expectGivenBack(fleet)
    }

    @Test func `what runs beyond the drain's time is given back and costs no attempt`() async throws {
        let (fleet, worker) = try await busyFleet(bands: 35, ["--drain-timeout", "100ms"])
        let first = ContinuousClock.now
        worker.send(2)
        #expect(await worker.wait() == .status(0))
        #expect(ContinuousClock.now - first < .seconds(1.5))
        try await expectGivenBack(fleet)
    }

    /// A plain pop leaves no copy in Redis: what is not given back is lost.
    @Test(arguments: [1, 2])
    func `what a plain pop has taken outlives the end of a drain, and a second signal`(signals: Int)
        async throws
    {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096, bands: 35), to: "slow.jpg")
        for number in 0..<Self.slowJobs {
            try await fleet.push(#"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"\#(number)"}"#)
        }
        let drainTime = signals == 1 ? "100ms" : "60s"
        let worker = try fleet.worker(["--fetch", "brpop", "--drain-timeout", drainTime])
        try await eventually("two jobs to be taken") {
            try await fleet.operators.audit().waiting <= Self.slowJobs - 2 ? () : nil
        }
        for _ in 0..<signals {
            worker.send(15)
            try await eventually("the drain") { worker.standardError.contains("worker.draining") ? () : nil }
        }
        #expect(await worker.wait() == .status(0))
        let ids = try await fleet.client.call(RedisCommand("LRANGE", fleet.keys.queue, "0", "-1")).array ?? []
        let results = try await fleet.results(0)
        #expect(ids.count + results.count == Self.slowJobs, "\(worker.standardError)")
        #expect(ids.count >= Self.slowJobs - 2 && Set(ids.compactMap(\.text)).count == ids.count)
        #expect(try await fleet.operators.audit().counters["released", default: 0] >= 1)
        #expect(try await fleet.client.call(RedisCommand("HLEN", fleet.keys.attempts)).integer == 0)
    }

    enum Stop: String, Sendable, CaseIterable { case deadline, secondSignal }

    @Test(arguments: Stop.allCases)
    func `a Redis that hangs delays neither the drain's deadline nor a second signal`(stop: Stop) async throws
    {
        // One job, so that the claim loop sleeps in Redis, whose answer takes longest.
        let (fleet, worker) = try await busyFleet(
            jobs: 1, bands: 35, ["--drain-timeout", stop == .deadline ? "200ms" : "60s"])
        try await fleet.untilAsleep(worker)
        fleet.redis.freeze()
        let start = ContinuousClock.now
        worker.send(15)
        if stop == .secondSignal {
            try await eventually("the drain") { worker.standardError.contains("worker.draining") ? () : nil }
            worker.send(15)
        }
        try await eventually("jobs to be given back") {
            worker.standardError.contains("worker.releasing") ? () : nil
        }
        // A blocking move waits for seven seconds, another call for five; a claim is cut off after two.
        #expect(ContinuousClock.now - start < .seconds(1.5))
        #expect(await worker.wait() == .status(0))
        #expect(ContinuousClock.now - start < .seconds(9), "it waited for that before it gave anything back")
        fleet.redis.thaw()
        // What could not be given back is in a list whose lease runs out.
        let audit = try await fleet.operators.audit()
        #expect(audit.waiting + audit.running == 1 && audit.missing == 0, "\(audit)")
    }

    @Test func `an idle worker ends in good time also while Redis hangs`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        fleet.redis.freeze()
        let start = ContinuousClock.now
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(ContinuousClock.now - start < .seconds(9))
        fleet.redis.thaw()
    }

    @Test func `a lease is kept for as long as the drain takes`() async throws {
        // Longer than a lease on one core; a second worker would take the job as soon as the lease is over.
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 7168), to: "slow.jpg")
        try await fleet.push(#"{"source":"slow.jpg","pt":"90x90","scale":1}"#)
        let worker = try fleet.worker(["--drain-timeout", "120s", "--memory-budget", "256MiB"])
        try await fleet.untilHolding(1, worker)
        let peer = try fleet.worker(["--memory-budget", "256MiB"])
        worker.send(15)
        #expect(await worker.wait(atMost: .seconds(110)) == .status(0))
        #expect(try await fleet.results(1)[0].attempt == 1)
        peer.send(15)
        #expect(await peer.wait() == .status(0))
        #expect(try await fleet.operators.audit().counters["reclaimed", default: 0] == 0)
        try await fleet.expectAllSettled()
    }

    @Test(arguments: ["claim", "brpop"])
    func `a worker that drains leaves soon after its last job, also when that found it asleep`(
        fetch: String
    ) async throws {
        let fleet = try await TestFleet()
        let due = try await fleet.operators.now() + 2_500
        let job = #"{"source":"a.jpg","pt":"9x9","scale":1}"#
        _ = try await fleet.client.call(RedisCommand("ZADD", fleet.keys.delayed, "\(due)", "L1:" + job))
        let worker = try fleet.worker(["--drain", "--fetch", fetch])
        try await fleet.untilAsleep(worker)
        _ = try await fleet.results(1)
        let settled = ContinuousClock.now
        #expect(await worker.wait() == .status(0))
        // A sleep in Redis lasts five seconds.
        #expect(ContinuousClock.now - settled < .seconds(3))
        let audit = try await fleet.operators.audit()
        #expect(audit.waiting + audit.running + audit.delayed == 0)
    }

    @Test func `told to stop while Redis is away, a worker still ends in good time`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        await fleet.redis.kill()
        try await eventually("the worker to notice") {
            worker.standardError.contains("redis.outage_began") ? () : nil
        }
        let start = ContinuousClock.now
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a worker that drains waits for a delayed job and does it`() async throws {
        let fleet = try await TestFleet()
        try fleet.write([], to: "../thumbs/x.jpg/inside")
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"output":"x.jpg","id":"one"}"#)
        let worker = try fleet.worker(["--drain"])
        try await eventually("a retry") {
            try await fleet.operators.audit().counters["retried", default: 0] >= 1 ? () : nil
        }
        let attempts = try await fleet.client.call(RedisCommand("HGET", fleet.keys.attempts, "one")).text
        #expect(worker.isRunning && attempts != nil)
        try fleet.remove("thumbs/x.jpg")
        #expect(await worker.wait(atMost: .seconds(60)) == .status(0))
        let result = try await fleet.results(1)[0]
        #expect(result.status == .done && (result.attempt ?? 0) >= 2 && fleet.thumbnail("x.jpg") != nil)
        try await fleet.expectAllSettled()
    }

    @Test func `what can never be written is buried after five attempts`() async throws {
        let fleet = try await TestFleet()
        try fleet.write([], to: "../thumbs/x.jpg/inside")
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"output":"x.jpg"}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait(atMost: .seconds(60)) == .status(0))
        let result = try await fleet.results(1)[0]
        #expect(result.error?.code == .outputUnwritable && result.error?.retryable == true)
        #expect(result.attempt == 5)
        let audit = try await fleet.operators.audit()
        #expect(audit.counters["retried"] == 4 && audit.counters["buried"] == 1 && audit.dead == 1)
        try await fleet.expectAllSettled()
    }

    /// A worker that is decoding pictures of seconds, with more waiting.
    private func busyFleet(
        jobs: Int = slowJobs, bands: Int, _ arguments: [String] = []
    ) async throws -> (TestFleet, ChildProcess) {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096, bands: bands), to: "slow.jpg")
        for number in 0..<jobs {
            try await fleet.push(#"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"\#(number)"}"#)
        }
        let worker = try fleet.worker(arguments)
        try await fleet.untilHolding(1, worker)
        return (fleet, worker)
    }

    private func expectGivenBack(_ fleet: TestFleet) async throws {
        let audit = try await fleet.operators.audit()
        #expect(audit.waiting == Self.slowJobs && audit.running == 0 && audit.workers.isEmpty, "\(audit)")
        #expect(audit.counters["released", default: 0] >= 1)
        #expect(try await fleet.client.call(RedisCommand("HLEN", fleet.keys.attempts)).integer == 0)
        #expect(try fleet.unfinishedFiles() == [])
        try await fleet.expectConservation()
    }
}
