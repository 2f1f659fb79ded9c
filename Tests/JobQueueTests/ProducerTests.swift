import JobQueue
import Redis
import TestSupport
import Testing

struct ProducerTests {
    private func chunks(_ count: Int, jobs: Int = 1, padding: String = "") -> [ProducerQueue.Chunk] {
        (0..<count).map { chunk in
            ProducerQueue.Chunk(
                name: "\(chunk)", jobs: (0..<jobs).map { Array("\(chunk) \($0) \(padding)".utf8) })
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a user who may not send a script's source is refused, not tried for ever`() async throws {
        let fleet = try await Fleet()
        var command = RedisCommand("ACL", "SETUSER", "me", "on", ">secret", "~*", "+@all")
        command.append("-eval")
        _ = try await fleet.client.call(command)
        let address = RedisAddress(fleet.redis.address.endpoint, user: "me", password: "secret")
        let producer = ProducerQueue(fleet.keys, client: RedisClient(address, name: "me"))
        let pushing = Task { try await producer.enqueue(chunks(3), batch: "b") }
        let error = await #expect(throws: QueueError.self) { try await pushing.value }
        guard case .redis(.forbidden) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `chunks are pushed once, also by a server that refuses writes again and again`() async throws {
        let fleet = try await Fleet()
        let flapping = Task {
            let client = fleet.redis.client("operator")
            for _ in 0..<20 {
                for replicas in ["1", "0"] {
                    _ = try await client.call(
                        RedisCommand("CONFIG", "SET", "min-replicas-to-write", replicas))
                    try await Task.sleep(for: .milliseconds(3))
                }
            }
        }
        let chunks = chunks(160, jobs: 500, padding: String(repeating: "x", count: 300))
        for start in stride(from: 0, to: chunks.count, by: 16) {
            _ = try await fleet.producer.enqueue(Array(chunks[start..<start + 16]), batch: "b")
        }
        try await flapping.value
        let queued = try await fleet.client.call(RedisCommand("LRANGE", "q", "0", "-1")).array ?? []
        #expect(queued.count == 80_000 && Set(queued.map(\.bytes)).count == 80_000)
        #expect(try await fleet.producer.progress(ofBatch: "b").total == 80_000)
    }

    @Test func `the failed jobs of a batch are found behind thousands that succeeded`() async throws {
        let fleet = try await Fleet()
        let worker = fleet.worker()
        for (id, batch) in [("a", "mine"), ("b", "other"), ("c", "mine"), ("d", nil)] {
            try await fleet.push(job(id, batch: batch))
            _ = try await worker.claim(limit: 1)
            let ticket = ticket(job(id, batch: batch))
            _ = try await worker.bury(ticket, failed(ticket, .truncatedImage))
        }
        let successes = """
            for i = 1, 2000 do
                redis.call('XADD', KEYS[1], '*', 'id', i, 'status', 'done', 'batch', 'mine', 'result', '{}')
            end
            """
        _ = try await fleet.client.call(RedisCommand("EVAL", successes, "1", fleet.keys.results))
        _ = try await fleet.client.call(RedisCommand("XADD", fleet.keys.dead, "*", "job", "by hand"))
        let failures = try await fleet.producer.failures(ofBatch: "mine", atMost: 5)
        #expect(failures.map(\.id) == ["c", "a"])
        #expect(try await fleet.producer.failures(ofBatch: "mine", atMost: 1).map(\.id) == ["c"])
    }
}
