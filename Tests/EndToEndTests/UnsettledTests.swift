import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Redis is there and refuses to settle: for a person to mend.
@Suite struct UnsettledTests {
    @Test func `a job that Redis refuses to settle is settled once the cause is mended, by the same worker`()
        async throws
    {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        // After the check at the start: another program takes the name of the results.
        _ = try await fleet.client.call(RedisCommand("SET", fleet.keys.results, "somebody's"))
        try await fleet.push(#"{"source":"a.jpg","pt":"60x60","scale":1,"id":"late"}"#)
        try await eventually("the worker to say that it cannot settle") {
            worker.standardError.contains("job.unsettled") && worker.standardError.contains("WRONGTYPE")
                ? () : nil
        }
        _ = try await fleet.client.call(RedisCommand("DEL", fleet.keys.results))
        let results = try await fleet.results(1)
        #expect(results.map(\.id) == ["late"])
        #expect(results.first?.status == .done && results.first?.attempt == 1)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectAllSettled()
    }

    @Test func `what was not settled is given back when the worker is told to stop`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(["--drain-timeout", "0s"])
        try await fleet.untilAsleep(worker)
        _ = try await fleet.client.call(RedisCommand("SET", fleet.keys.results, "somebody's"))
        try await fleet.push(#"{"source":"a.jpg","pt":"60x60","scale":1,"id":"late"}"#)
        try await eventually("the worker to say that it cannot settle") {
            worker.standardError.contains("job.unsettled") ? () : nil
        }
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(try await fleet.client.call(RedisCommand("LLEN", fleet.keys.queue)).integer == 1)
        #expect(worker.standardError.contains(#""finished":0"#), "what was not settled is not finished")
    }
}
