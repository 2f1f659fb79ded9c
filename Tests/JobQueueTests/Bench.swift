import JobQueue
import Redis
import TestSupport

/// A private Redis with one queue, and as many workers as a test asks for.
struct Fleet {
    let redis: PrivateRedis
    let client: RedisClient
    let keys = QueueKeys(queue: "q")
    let producer: ProducerQueue
    let operators: OperatorQueue

    init(_ redis: PrivateRedis? = nil) async throws {
        self.redis = if let redis { redis } else { try await PrivateRedis() }
        client = self.redis.client()
        producer = ProducerQueue(keys, client: client)
        operators = OperatorQueue(keys, client: client)
    }

    /// Shares the test's connection, so it may not block in a pop.
    func worker(
        _ name: String = "w1", limits: QueueLimits = QueueLimits(), ownership: WorkerQueue.Ownership = .list
    ) -> WorkerQueue {
        WorkerQueue(
            keys, worker: WorkerID(name), claims: client, moves: client, limits: limits, ownership: ownership)
    }

    func push(_ raw: [UInt8]) async throws {
        var command = RedisCommand("LPUSH", keys.queue)
        command.append(raw)
        _ = try await client.call(command)
    }

    func push(_ raw: String) async throws { try await push(Array(raw.utf8)) }

    func keySpace() async throws -> KeySpace { try await KeySpace(of: client) }

    /// Ends a worker's lease without waiting for it.
    func expire(_ worker: WorkerQueue, secondsAgo: Int = 1) async throws {
        let now = try await client.call(RedisCommand("TIME")).array?.first?.text ?? ""
        let end = ((Int(now) ?? 0) - secondsAgo) * 1000
        _ = try await client.call(RedisCommand("ZADD", keys.workers, String(end), worker.worker.description))
    }
}

func ticket(_ raw: String) -> JobTicket { Job.read(Array(raw.utf8)).ticket }

func job(_ id: String, batch: String? = nil) -> String {
    let batch = batch.map { #","batch":"\#($0)""# } ?? ""
    return #"{"id":"\#(id)"\#(batch),"source":"s","pt":"1x1","scale":1}"#
}

func done(_ ticket: JobTicket) -> JobResult { JobResult(ticket, source: "s", outputs: []) }

func failed(_ ticket: JobTicket, _ code: ErrorCode = .internal) -> JobResult {
    JobResult(ticket, source: "s", error: JobFailure(code, "a test"))
}
