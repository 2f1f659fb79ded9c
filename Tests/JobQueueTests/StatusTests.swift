import JobQueue
import Redis
import TestSupport
import Testing

/// What is told about a queue without changing it.
struct StatusTests {
    @Test func `the oldest job has waited at least as long as it was seen to be the oldest`() async throws {
        let fleet = try await Fleet()
        #expect(try await fleet.operators.status().recent.oldestWaited == nil, "nothing waits")
        for id in ["a", "b"] { try await fleet.push(job(id)) }
        #expect(try await fleet.operators.status().recent.oldestWaited == nil, "the first look")
        #expect(try await fleet.operators.status().recent.oldestWaited ?? .seconds(99) < .seconds(30))
        let past = try await fleet.operators.status().now - 90_000
        _ = try await fleet.client.call(RedisCommand("HSET", "{q}:watch", "since", "\(past)"))
        try await fleet.push(job("c"))
        #expect(try await fleet.operators.status().recent.oldestWaited ?? .zero >= .seconds(90))
        _ = try await fleet.worker().claim(limit: 1)
        #expect(try await fleet.operators.status().recent.oldestWaited == nil, "another is the oldest now")
        let expires = try await fleet.keySpace().entries["{q}:watch"]?.expires
        #expect(expires == true)
    }

    @Test func `a queue of equal jobs that moves has no old job`() async throws {
        let fleet = try await Fleet()
        for _ in 0..<3 { try await fleet.push(job("same")) }
        _ = try await fleet.operators.status()
        _ = try await fleet.worker().claim(limit: 1)
        #expect(try await fleet.operators.status().recent.oldestWaited == nil)
    }

    @Test func `recent results are counted by code, whatever texts are in them`() async throws {
        let fleet = try await Fleet()
        let worker = fleet.worker()
        _ = try await worker.renew()
        let hostile = #"{"id":"\"error\":{\"code\":\"internal\"","source":"s","pt":"1x1","scale":1}"#
        for (raw, code) in [(hostile, ErrorCode.timedOut), (job("b"), .timedOut), (job("c"), .notAnImage)] {
            try await fleet.push(raw)
            _ = try await worker.claim(limit: 1)
            _ = try await worker.bury(ticket(raw), failed(ticket(raw), code))
        }
        try await fleet.push(job("d"))
        _ = try await worker.claim(limit: 1)
        _ = try await worker.finish(ticket(job("d")), done(ticket(job("d"))))
        let recent = try await fleet.operators.status().recent
        #expect(recent.failures == ["timed_out": 2, "not_an_image": 1] && recent.finished == 1)
        #expect(recent.covered == OperatorQueue.recentWindow && !recent.isCut)
    }

    @Test func `a user who may only read is told what can be known`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("a"))
        _ = try await fleet.client.call(
            RedisCommand(
                "ACL", "SETUSER", "reader", "on", ">word", "~*", "+@read", "+@connection", "+@scripting",
                "+time"))
        let address = RedisAddress(fleet.redis.address.endpoint, user: "reader", password: "word")
        let reader = OperatorQueue(fleet.keys, client: RedisClient(address, name: "reader"))
        let status = try await reader.status()
        #expect(status.audit.waiting == 1 && status.memory == nil && status.recent.oldestWaited == nil)
    }

    @Test func `traces of a queue are found in other databases, and other queues here`() async throws {
        let fleet = try await Fleet()
        #expect(try await fleet.operators.exists() == false)
        _ = try await fleet.client.call(RedisCommand("LPUSH", "pictures", job("a")))
        _ = try await fleet.client.call(RedisCommand("HSET", "{x{y}:counters", "taken", "1"))
        _ = try await fleet.client.call(RedisCommand("HSET", "{served}:counters", "taken", "1"))
        _ = try await fleet.client.call(RedisCommand("LPUSH", "{served}:worker:w", job("a")))
        let third = RedisAddress(fleet.redis.address.endpoint, database: 3)
        _ = try await RedisClient(third, name: "test").call(RedisCommand("LPUSH", "q", job("a")))
        let traces = try await fleet.operators.traces()
        #expect(traces.databases == [3])
        #expect(traces.queues.contains("pictures") && traces.queues.contains("served"))
        #expect(!traces.queues.contains { $0.contains("worker") })
    }

    @Test func `results are followed at once, and over a gap it says so`() async throws {
        let fleet = try await Fleet()
        let follower = OperatorQueue(fleet.keys, client: fleet.redis.client("follower"))
        #expect(try await follower.newestResult() == "0-0")
        async let coming = follower.results(after: "0-0", atMost: .seconds(20))
        let worker = fleet.worker()
        _ = try await worker.renew()
        for id in ["a", "b", "c"] {
            try await fleet.push(job(id))
            _ = try await worker.claim(limit: 1)
            _ = try await worker.finish(ticket(job(id)), done(ticket(job(id))))
        }
        let first = try await coming
        #expect(first.results.first?.id == "a" && !first.mayHaveGap)
        let last = try #require(first.results.first).entry
        let rest = try await follower.results(after: last, atMost: .seconds(20))
        #expect(!rest.mayHaveGap && rest.results.last?.id == "c")
        _ = try await fleet.client.call(RedisCommand("XTRIM", "{q}:results", "MAXLEN", "1"))
        let late = try await follower.results(after: last, atMost: .seconds(20))
        #expect(late.mayHaveGap && late.results.map(\.id) == ["c"])
        let none = try await follower.results(
            after: try #require(late.results.last).entry, atMost: .milliseconds(10))
        #expect(none.results.isEmpty && !none.mayHaveGap)
    }
}
