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

    @Test func `a worker that waits for its own jobs, or for the end of a pause, is alive`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096, bands: 8), to: "slow.jpg")
        for number in 0..<4 {
            try await fleet.push(#"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"\#(number)"}"#)
        }
        let worker = try fleet.askableWorker(environment: Self.impatient)
        try await fleet.untilHolding(1, worker)
        try await fleet.operators.pause(because: "a test")
        // Held back by its jobs first, then by the pause, each for longer than a standstill may last.
        var settled = 0
        let start = ContinuousClock.now
        while settled == 0 || ContinuousClock.now - start < .seconds(4) {
            let answer = try await fleet.ask("/livez", worker)
            #expect(answer.status == 200, "\(answer.body)")
            settled = try await fleet.operators.audit().counters["finished", default: 0]
        }
        try await eventually("the last job to be done, which leaves the pause") {
            try await fleet.operators.audit().running == 0 ? () : nil
        }
        let pause = ContinuousClock.now
        while ContinuousClock.now - pause < .seconds(3) {
            let answer = try await fleet.ask("/livez", worker)
            #expect(answer.status == 200, "\(answer.body)")
        }
        #expect(try await fleet.ask("/readyz", worker).body == "ready; the queue is paused\n")
        await fleet.stop([worker])
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
