import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Jobs that not every worker can do: of a newer version, or far too large to be one.
struct MixedFleetTests {
    @Test func `a newer job waits for a newer worker beside old ones, without a hot loop`() async throws {
        let fleet = try await TestFleet()
        let old = try fleet.worker()
        try await fleet.untilAsleep(old)
        let newer = WorkerQueue(
            fleet.keys, worker: WorkerID("newer"), claims: fleet.redis.client("worker:newer"),
            moves: fleet.client)
        for number in 0..<20 {
            try await fleet.push(TestFleet.job("old\(number)"), TestFleet.job("new\(number)", #","v":2"#))
        }
        #expect(try await fleet.results(20).allSatisfy { $0.id.hasPrefix("old") && $0.status == .done })
        try await eventually("the newer jobs to be put aside") {
            try await fleet.operators.audit().delayed == 20 ? () : nil
        }
        try await fleet.untilRenewed(2, old)
        let audit = try await fleet.operators.audit()
        #expect(audit.counters["released"] == 20, "each was looked at once: \(audit)")
        // Half a minute later: now by hand.
        let members = try await fleet.client.call(RedisCommand("ZRANGE", fleet.keys.delayed, "0", "-1"))
        for member in members.array ?? [] {
            var command = RedisCommand("ZADD", fleet.keys.delayed, "1")
            command.append(member.bytes ?? [])
            _ = try await fleet.client.call(command)
        }
        // What came first is served first: the newer worker is asked before the jobs come back, and takes its
        // share; the old one puts its own aside again.
        _ = try await newer.renew()
        var done: Set<String> = []
        async let waited = newer.wait(atMost: .seconds(20))
        _ = try await newer.promote()
        try await settle(try #require(try await waited), on: newer, &done)
        while case .jobs(let jobs) = try await newer.claim(limit: 100) {
            for job in jobs { try await settle(job.raw, on: newer, &done) }
        }
        let results = try await fleet.results(20 + done.count)
        #expect(results.count == 20 + done.count)
        #expect(Set(results.map(\.id)).isSuperset(of: done))
        #expect(results.allSatisfy { $0.attempt == 1 }, "a look is no attempt")
        try await eventually("the rest to be put aside again") {
            let audit = try await fleet.operators.audit()
            return audit.delayed == 20 - done.count && audit.waiting + audit.running == 0 ? () : nil
        }
        #expect(try await newer.deregister())
        await fleet.stop([old])
        try await fleet.expectConservation()
    }

    private func settle(_ raw: [UInt8], on worker: WorkerQueue, _ done: inout Set<String>) async throws {
        let ticket = Job.read(raw).ticket
        #expect(ticket.id.hasPrefix("new"), "the old ones are done")
        let settled = try await worker.finish(ticket, JobResult(ticket, source: "a.jpg", outputs: []))
        #expect(settled == .finished(attempt: 1))
        done.insert(ticket.id)
    }

    @Test func `payloads of five megabytes are buried whole, and cost the worker no memory`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(["--memory-budget", "32MiB"])
        try await fleet.untilAsleep(worker)
        let count = 24
        // They are all there at once, so that a worker which holds many of them would.
        let fill = """
            local padding = string.rep('x', 5 * 1024 * 1024)
            return redis.call('LPUSH', KEYS[1], '{"id":"' .. ARGV[1] .. '","source":"' .. padding .. '"}')
            """
        try await fleet.operators.pause(because: "until all are there")
        for number in 0..<count {
            _ = try await fleet.client.call(RedisCommand("EVAL", fill, "1", fleet.keys.queue, "\(number)"))
        }
        try await fleet.operators.resume()
        try await fleet.push(TestFleet.job("after"))
        let results = try await fleet.results(count + 1, within: .seconds(90))
        let peak = worker.memory("VmHWM")
        #expect(results.last?.id == "after" && results.last?.status == .done)
        #expect(results.count { $0.error?.code == .invalidJob } == count)
        #expect(peak <= (32 + 32) << 20, "budget and 32 MiB")
        let dead = try await fleet.client.call(RedisCommand("XLEN", fleet.keys.dead)).integer
        #expect(dead == count)
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }
}
