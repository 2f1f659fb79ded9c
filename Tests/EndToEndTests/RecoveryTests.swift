import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// How a fleet comes back: from workers that die again and again, from restarts, from broken connections.
struct RecoveryTests {
    @Test func `jobs that were held when a worker died run alone, also on a worker that slept`() async throws
    {
        let fleet = try await TestFleet()
        try fleet.write(slowPicture, to: "slow.jpg")
        let victim = try fleet.worker()
        for number in 0..<4 {
            try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        try await eventually("two jobs in one worker") {
            try await fleet.operators.audit().running >= 2 ? () : nil
        }
        victim.send(9)
        #expect(await victim.wait() == .signal(9))
        // Only now is it certain what it held: a job may have been done since the look above.
        let suspects = try await fleet.operators.audit().running
        try #require(suspects >= 2, "or this test tests nothing")
        // The rest is done before the lease is over, so that the heir sleeps when the suspects come.
        let heir = try fleet.worker()
        let audit = try await eventually("the suspects to be reclaimed") {
            let audit = try await fleet.operators.audit()
            return audit.counters["reclaimed"] == nil ? nil : audit
        }
        #expect(audit.counters["reclaimed"] == suspects)
        var mostAtOnce = 0
        _ = try await eventually("all results") {
            let audit = try await fleet.operators.audit()
            mostAtOnce = max(mostAtOnce, audit.running)
            return audit.counters["finished"] == 4 ? audit : nil
        }
        #expect(mostAtOnce == 1)
        heir.send(15)
        #expect(await heir.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `a lone worker started again after seven seconds does its predecessor's jobs in time`()
        async throws
    {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096), to: "slow.jpg")
        let victim = try fleet.worker()
        try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1}"#)
        try await eventually("the job to run") {
            try await fleet.operators.audit().running == 1 ? () : nil
        }
        victim.send(9)
        #expect(await victim.wait() == .signal(9))
        let died = ContinuousClock.now
        try #require(try await fleet.operators.audit().running == 1, "or there is nothing to reclaim")
        // What systemd's RestartSec or a container's back-off takes.
        try await Task.sleep(until: died + .seconds(7), clock: .continuous)
        let heir = try fleet.worker()
        try await eventually("the job to run again") {
            try await fleet.operators.audit().counters["reclaimed"] == 1 ? () : nil
        }
        #expect(ContinuousClock.now - died < .seconds(15), "\(ContinuousClock.now - died)")
        let result = try #require(try await fleet.results(1).first)
        #expect(result.status == .done && result.attempt == 2)
        heir.send(15)
        #expect(await heir.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `connections that break all the time lose no job, double none and count no attempt`()
        async throws
    {
        let fleet = try await TestFleet()
        let (waves, perWave) = (20, 15)
        let workers = [try fleet.worker(), try fleet.worker()]
        var broken = 0
        for wave in 0..<waves {
            let before = try await fleet.operators.audit().taken
            for number in 0..<perWave {
                try await fleet.push(
                    #"{"source":"a.jpg","pt":"200x200","scale":1,"id":"\#(wave)-\#(number)"}"#)
            }
            try await eventually("a worker to be connected again and to take a job") {
                try await fleet.operators.audit().taken > before ? () : nil
            }
            // Every connection but this test's own, whatever it has asked and not been told yet.
            let kill = RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            broken += try await fleet.client.call(kill).integer ?? 0
        }
        #expect(broken >= waves)
        let count = waves * perWave
        let results = try await fleet.results(count)
        #expect(results.count == count && Set(results.map(\.id)).count == count)
        #expect(results.allSatisfy { $0.status == .done && $0.attempt == 1 })
        for worker in workers {
            worker.send(15)
            #expect(await worker.wait() == .status(0))
        }
        try await fleet.expectConservation()
    }

    @Test func `plain BRPOP takes jobs without a list, and loses what a killed worker held`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(slowPicture, to: "slow.jpg")
        let victim = try fleet.worker(["--fetch", "brpop"])
        try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"lost"}"#)
        try await eventually("the job to be taken") {
            try await fleet.operators.audit().waiting == 0 ? () : nil
        }
        #expect(try await fleet.operators.audit().running == 0)
        #expect(try await fleet.client.call(RedisCommand("XLEN", fleet.keys.results)).integer == 0)
        victim.send(9)
        #expect(await victim.wait() == .signal(9))
        try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"next"}"#)
        let heir = try fleet.worker(["--fetch", "brpop"])
        #expect(try await fleet.results(1).map(\.id) == ["next"], "what was lost was not lost")
        heir.send(15)
        #expect(await heir.wait() == .status(0))
        #expect(try await fleet.commands()["blmove"] == nil)
        try await fleet.expectConservation()
    }

    @Test func `a worker that is told to stop while it starts ends at once and loses nothing`() async throws {
        let fleet = try await TestFleet()
        for number in 0..<50 {
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        for milliseconds in stride(from: 0, to: 200, by: 10) {
            let worker = try fleet.worker()
            try await Task.sleep(for: .milliseconds(milliseconds))
            worker.send(15)
            let exit = await worker.wait(atMost: .seconds(5))
            // Before main has begun the signal still means what it means to any process.
            let hadBegun = !worker.standardError.isEmpty
            #expect(exit == .status(0) || (exit == .signal(15) && !hadBegun), "\(milliseconds) ms")
        }
        #expect(try await fleet.operators.audit().running == 0)
        try await fleet.expectConservation()
    }

    @Test func `a worker that still looks for Redis ends at once when it is told to`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(redis: "unix://\(fleet.folder.path)/no.sock")
        try await Task.sleep(for: .milliseconds(500))
        let start = ContinuousClock.now
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        // Without the signal it would look for ten seconds; a busy machine alone can take one.
        #expect(ContinuousClock.now - start < .seconds(3), "\(ContinuousClock.now - start)")
    }
}

/// Grey, flat, 24,576 pixels a side: 2.4 MB of zero bits as a file, the better part of a second to decode.
private let slowPicture: [UInt8] = {
    let side = 24_576
    let blocks = side / 8 * (side / 8)
    let size = [UInt8(side >> 8), UInt8(side & 0xFF)]
    // One symbol, of one bit: no difference, and end of block.
    let table: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
    return [0xFF, 0xD8] + [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        + [0xFF, 0xC0, 0, 11, 8] + size + size + [1, 1, 0x11, 0]
        + [0xFF, 0xC4, 0, 20, 0x00] + table + [0xFF, 0xC4, 0, 20, 0x10] + table
        + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [UInt8](repeating: 0, count: blocks * 2 / 8) + [0xFF, 0xD9]
}()
