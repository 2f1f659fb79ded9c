import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing
import Threading

/// What a worker refrains from: taking what others could do, running a suspect beside others, and seizing
/// jobs of workers that only could not renew.
struct RestraintTests {
    @Test func `a worker claims no more than it can soon start`() async throws {
        // Running, read and waiting for a core, being read or written: about four a core, and as many again
        // where a busy machine reads and writes slowly. Without restraint it holds nearly all of them.
        let most = 8 * availableProcessors() + 8
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 1024, bands: 6), to: "slow.jpg")
        for number in 0..<4 * most {
            try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        let worker = try fleet.worker()
        var held = 0
        try await eventually("all jobs to be done") { () async throws -> Void? in
            let audit = try await fleet.operators.audit()
            held = max(held, audit.running)
            return audit.counters["finished"] == 4 * most ? () : nil
        }
        #expect(held <= most)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `a job that workers died under waits until nothing else runs`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 2048), to: "slow.jpg")
        _ = try await fleet.client.call(RedisCommand("HSET", fleet.keys.attempts, "suspect", "0 1"))
        let worker = try fleet.worker()
        try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"slow"}"#)
        try await eventually("the slow job to run") {
            try await fleet.operators.audit().running == 1 ? () : nil
        }
        try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"suspect"}"#)
        let results = try await fleet.results(2)
        #expect(results.map(\.id) == ["slow", "suspect"], "side by side the small one is done first")
        #expect(results[1].attempt == 2)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `an outage longer than a lease takes no job from a worker that lives`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096), to: "slow.jpg")
        let busy = try fleet.worker()
        for number in 0..<4 {
            try await fleet.push(#"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        try await eventually("jobs to run") { try await fleet.operators.audit().running >= 2 ? () : nil }
        let idle = [try fleet.worker(), try fleet.worker(), try fleet.worker()]
        for worker in idle {
            try await eventually("the others to be there") {
                worker.standardError.contains("worker.started") ? () : nil
            }
        }
        // Past their own start, when they would hold back anyhow.
        try await Task.sleep(for: .seconds(5))
        fleet.redis.freeze()
        try await Task.sleep(for: .seconds(11))
        fleet.redis.thaw()
        let results = try await fleet.results(4)
        #expect(results.allSatisfy { $0.attempt == 1 })
        #expect(try await fleet.operators.audit().counters["reclaimed"] == nil)
        for worker in idle + [busy] {
            worker.send(15)
            #expect(await worker.wait() == .status(0))
        }
        try await fleet.expectConservation()
    }
}
