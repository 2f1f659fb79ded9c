import JobQueue
import Redis
import TestSupport
import Testing

/// What a pause does to workers that sleep in a blocking pop, which cannot see it.
struct PauseTests {
    @Test func `a pause wakes the workers of its own queue and no others`() async throws {
        let fleet = try await Fleet()
        let ours = sleeper("ours", of: fleet.keys, fleet)
        let theirs = sleeper("theirs", of: QueueKeys(queue: "other"), fleet)
        for worker in [ours, theirs] { _ = try await worker.renew() }
        async let woken = ours.wait(atMost: .seconds(20))
        async let sleeping = theirs.wait(atMost: .seconds(20))
        try await untilBlocked(2, fleet)
        let start = ContinuousClock.now
        try await fleet.operators.pause(because: "a test")
        #expect(try await woken == nil)
        #expect(ContinuousClock.now - start < .seconds(5), "long before its time")
        try await untilBlocked(1, fleet)
        _ = try await fleet.client.call(RedisCommand("LPUSH", "other", "x"))
        #expect(try await sleeping == Array("x".utf8))
    }

    @Test func `a pause holds also when the operator may not see other connections`() async throws {
        let fleet = try await Fleet()
        let worker = sleeper("w1", of: fleet.keys, fleet)
        _ = try await worker.renew()
        _ = try await fleet.client.call(
            RedisCommand("ACL", "SETUSER", "operator", "on", ">word", "~*", "+@all", "-client|list"))
        let address = RedisAddress(fleet.redis.address.endpoint, user: "operator", password: "word")
        let operators = OperatorQueue(fleet.keys, client: RedisClient(address, name: "operator"))
        try await operators.pause(because: "a test")
        #expect(try await worker.claim(limit: 1) == .paused)
    }

    /// A worker with connections of its own, named as the program names them.
    private func sleeper(_ name: String, of keys: QueueKeys, _ fleet: Fleet) -> WorkerQueue {
        let id = WorkerID(name)
        return WorkerQueue(
            keys, worker: id, claims: fleet.redis.client(id.connectionName),
            moves: fleet.redis.client(id.connectionName))
    }

    private func untilBlocked(_ count: Int, _ fleet: Fleet) async throws {
        let expected = "blocked_clients:\(count)\r\n"
        for _ in 0..<2_000 {
            let text = try await fleet.client.call(RedisCommand("INFO", "clients")).text ?? ""
            if text.contains(expected) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("never \(count) blocked")
    }
}
