import FleetSupport
import HTTP
import JobQueue
import TestSupport
import Testing

/// `/livez` and `/readyz`: which workers are to be started anew, and which are only waiting.
struct HealthTests {
    /// A standstill of a second and a half counts, so that a test need not wait for half a minute. A worker that
    /// sleeps in Redis for five seconds is then no example of one that lives.
    private static let impatient = ["THUMBNAIL_TEST_STALL_MS": "1500"]

    @Test func `a worker whose claim loop is parked answers that it is not alive, although all else goes on`()
        async throws
    {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker(
            environment: Self.impatient.merging(["THUMBNAIL_FAILPOINT": "before-wait=hang"]) { $1 })
        let reason = try await fleet.untilAnswered(503, at: "/livez", worker)
        #expect(reason.hasPrefix("the claim loop has not moved for "), "\(reason)")
        #expect(try await fleet.ask("/readyz", worker).status == 503)
        let scrape = try await fleet.scrape(worker)
        #expect(scrape["thumbnail_claim_age_seconds"] ?? 0 > 1.5 && scrape["thumbnail_redis_connected"] == 1)
        // It keeps its lease: nobody but a supervisor could know.
        try await fleet.untilRenewed(1, worker)
        #expect(try await fleet.operators.audit().workers.first?.isAlive == true)
    }

    @Test func `a worker that sleeps in Redis is alive and ready`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker()
        #expect(try await fleet.untilAnswered(200, at: "/readyz", worker) == "ready\n")
        try await fleet.untilAsleep(worker)
        #expect(try await fleet.ask("/livez", worker).body == "alive\n")
        await fleet.stop([worker])
    }

    @Test func `a worker whose jobs hold all its memory is alive for as long as they do`() async throws {
        let fleet = try await TestFleet()
        // Two bytes a pixel: two at a time are more than the budget.
        try fleet.write(SlowPicture.bytes(side: 1024, bands: 1), to: "large.jpg")
        let worker = try fleet.askableWorker(
            ["--memory-budget", "4MiB"],
            environment: Self.impatient.merging(["THUMBNAIL_FAILPOINT": "admitted=hang"]) { $1 })
        for number in 0..<2 {
            try await fleet.push(#"{"source":"large.jpg","pt":"90x90","scale":1,"id":"\#(number)"}"#)
        }
        try await fleet.scrape(worker, until: "a job to wait for memory") {
            $0["thumbnail_jobs_waiting_for_memory"] ?? 0 >= 1
        }
        // The loop sleeps in Redis and shows one more job the line, stands in it already, or waits for its end and
        // leaves the job in the queue.
        try await fleet.push(TestFleet.job("small"))
        func isHeldBack(_ scrape: Scrape) -> Bool {
            scrape["thumbnail_jobs_waiting_for_memory"] == 2 || scrape.queue("waiting") == 1
        }
        try await fleet.scrape(worker, until: "the loop to be held back", isHeldBack)
        try await expectAlive(worker, for: .seconds(3), fleet)
        #expect(isHeldBack(try await fleet.scrape(worker)))
        // The parked job never ends; a second signal gives it back.
        worker.send(15)
        try await eventually("the drain") {
            worker.standardError.contains("worker.draining") ? () : nil
        }
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `a worker whose queue is paused is alive and ready`() async throws {
        let fleet = try await TestFleet()
        try await fleet.operators.pause(because: "a test")
        let worker = try fleet.askableWorker(environment: Self.impatient)
        try await fleet.untilAnswered(200, at: "/readyz", worker)
        try await expectAlive(worker, for: .seconds(3), fleet)
        #expect(try await fleet.ask("/readyz", worker).body == "ready; the queue is paused\n")
        await fleet.stop([worker])
    }

    /// Asks all the time; the first bad answer ends the test.
    private func expectAlive(_ worker: ChildProcess, for length: Duration, _ fleet: TestFleet) async throws {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < length {
            let answer = try await fleet.ask("/livez", worker)
            try #require(answer.status == 200, "\(answer.body)")
        }
    }

    @Test
    func `a frozen Redis delays no answer: the worker is alive, not ready, and says that it is cut off`()
        async throws
    {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker()
        try await fleet.untilAnswered(200, at: "/readyz", worker)
        try await fleet.scrape(worker, until: "the queue to be known") { $0.queue("waiting") != nil }
        fleet.redis.freeze()
        var slowest = Duration.zero
        let (_, _, delay) = try await MachineDelay.measured {
            try await eventually("the worker to notice") { () async throws -> Void? in
                let start = ContinuousClock.now
                let scrape = try await fleet.scrape(worker)
                slowest = max(slowest, ContinuousClock.now - start)
                return scrape["thumbnail_redis_connected"] == 0 ? () : nil
            }
        }
        #expect(slowest < .seconds(1) + delay.allowance(steps: 4), "\(slowest)")
        #expect(try await fleet.ask("/readyz", worker).body == "Redis is away\n")
        #expect(try await fleet.ask("/livez", worker).status == 200)
        let scrape = try await fleet.scrape(worker)
        #expect(scrape.queue("waiting") == 0, "what is known is still told")
        #expect(scrape["thumbnail_claim_age_seconds"] == 0)
        fleet.redis.thaw()
        try await fleet.untilAnswered(200, at: "/readyz", worker)
        #expect(try await fleet.ask("/livez", worker).status == 200)
        try await fleet.scrape(worker, until: "the connections to be counted") {
            $0["thumbnail_redis_connected"] == 1 && $0["thumbnail_redis_reconnects_total"] ?? 0 >= 1
        }
        await fleet.stop([worker])
    }

    @Test func `before Redis has answered a worker is alive and not ready`() async throws {
        let fleet = try await TestFleet()
        fleet.redis.freeze()
        let worker = try fleet.askableWorker()
        #expect(try await fleet.ask("/livez", worker).status == 200)
        #expect(try await fleet.ask("/readyz", worker).status == 503)
        #expect(try await fleet.scrape(worker)["thumbnail_redis_connected"] == 0)
        fleet.redis.thaw()
        try await fleet.untilAnswered(200, at: "/readyz", worker)
        await fleet.stop([worker])
    }

    @Test func `a worker that drains is alive and takes no more`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker(environment: ["THUMBNAIL_FAILPOINT": "rendered=hang"])
        try await fleet.push(TestFleet.job("one"))
        try await fleet.untilHolding(1, worker)
        #expect(try await fleet.scrape(worker)["thumbnail_draining"] == 0)
        worker.send(15)
        let reason = try await eventually("the drain") { () async throws -> String? in
            let answer = try await fleet.ask("/readyz", worker)
            return answer.body.hasPrefix("draining") ? answer.body : nil
        }
        #expect(reason == "draining: told to stop\n")
        let scrape = try await fleet.scrape(worker)
        #expect(scrape["thumbnail_draining"] == 1 && scrape["thumbnail_jobs_running"] == 1)
        #expect(try await fleet.ask("/livez", worker).status == 200)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `an address that is taken ends the worker, and it says what to do`() async throws {
        let fleet = try await TestFleet()
        let first = try fleet.askableWorker()
        let place = try await fleet.place(of: first)
        let second = try fleet.worker(["--listen", "\(place)"])
        #expect(await second.wait() == .status(78))
        #expect(
            second.standardError == """
                worker: cannot listen on \(place): Address already in use
                worker: is another worker running here? give each a port of its own with --listen, or \
                127.0.0.1:0 for any that is free

                """)
        await fleet.stop([first])
    }

    @Test func `fleet health says with its exit status how a worker is`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker()
        try await fleet.untilAnswered(200, at: "/readyz", worker)
        let place = try await fleet.place(of: worker)
        func health(_ arguments: String...) async throws -> (ChildProcess.Exit?, String) {
            let program = try ChildProcess(
                BuiltProgram.path("fleet"), ["health"] + arguments,
                environment: ["THUMBNAIL_LISTEN": "\(place)", "REDIS_URL": "redis://127.0.0.1:1"])
            return (await program.wait(), program.standardOutput + program.standardError)
        }
        #expect(try await health() == (.status(0), "\(place): alive\n"))
        #expect(try await health("--ready") == (.status(0), "\(place): ready\n"))
        #expect(
            try await health("--json")
                == (.status(0), #"{"worker":"\#(place)","healthy":true,"reason":"alive"}"# + "\n"))
        worker.send(19)
        let frozen = try await health("--timeout", "200ms")
        #expect(frozen.0 == .status(1) && frozen.1.hasPrefix("\(place): no answer from "), "\(frozen)")
        worker.send(18)
        await fleet.stop([worker])
        let gone = try await health()
        #expect(gone.0 == .status(1) && gone.1.contains("Connection refused"), "\(gone)")
        #expect(try await health("--worker", "nonsense").0 == .status(64))
    }
}
