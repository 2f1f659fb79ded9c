import CommandLineOptions
import Files
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Enqueue

/// A Redis of one test with the queue in it, and both of its sides: what is enqueued, and a worker that
/// settles jobs without looking at pictures.
final class TestQueue: Sendable {
    let redis: PrivateRedis
    let client: RedisClient
    let keys = QueueKeys()
    let worker: WorkerQueue

    init(appendOnly: Bool = false, password: String? = nil, configuration: [String] = []) async throws {
        redis = try await PrivateRedis(
            appendOnly: appendOnly, password: password, configuration: configuration)
        client = redis.client()
        worker = WorkerQueue(keys, worker: .random(), claims: redis.client(), moves: client)
    }

    var producer: ProducerQueue { ProducerQueue(keys, client: client) }
    var operators: OperatorQueue { OperatorQueue(keys, client: client) }

    var url: String { "\(redis.address)" }

    /// The built program.
    func enqueue(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path("enqueue"), ["--redis", url, "--pt", "12x12"] + arguments,
            environment: environment)
    }

    /// Sources of the jobs that wait, in the order in which they will be taken.
    func waitingSources() async throws -> [String] {
        let reply = try await client.callWhenUp(RedisCommand("LRANGE", keys.queue, "0", "-1"))
        return (reply.array ?? []).reversed().map { entry in
            guard case .job(let job) = Job.read(entry.bytes ?? []) else { return "no job" }
            return job.source
        }
    }

    func waiting() async throws -> Int {
        try await client.callWhenUp(RedisCommand("LLEN", keys.queue)).integer ?? -1
    }

    /// Settles up to `limit` jobs: those whose source ends in `bad.jpg` fail.
    func settle(atMost limit: Int) async throws {
        _ = try await worker.renew()
        guard case .jobs(let jobs) = try await worker.claim(limit: limit) else { return }
        for claimed in jobs {
            guard case .job(let job) = Job.read(claimed.raw) else { continue }
            if job.source.hasSuffix("bad.jpg") {
                let failure = JobFailure(.truncatedImage, "the file is cut off: 3 of 9 rows are good")
                _ = try await worker.bury(
                    job.ticket, JobResult(job.ticket, source: job.source, error: failure))
            } else {
                _ = try await worker.finish(
                    job.ticket, JobResult(job.ticket, source: job.source, outputs: []))
            }
        }
    }

    /// Settles jobs until the program has ended, and returns its end.
    func settle(until program: ChildProcess, atMost limit: Int = 100) async throws -> ChildProcess.Exit? {
        let deadline = ContinuousClock.now + .seconds(60)
        while program.isRunning, ContinuousClock.now < deadline {
            try await settle(atMost: limit)
            try await Task.sleep(for: .milliseconds(20))
        }
        return await program.wait(atMost: .seconds(1))
    }
}

/// What the arguments ask for.
func request(_ arguments: [String]) throws -> EnqueueRequest {
    guard
        case .run(let values) = try EnqueueOptions.table.parse(arguments + ["--pt", "1x1"], environment: [:])
    else { throw NotInTime(what: "a request") }
    return try EnqueueRequest(values)
}

/// Reads what the arguments name.
func reader(_ arguments: [String], standardInput: Int32 = 0) throws -> ChunkReader {
    let wanted = try request(arguments)
    return ChunkReader(
        try PictureSource(wanted, standardInput: standardInput),
        JobTemplate(
            pointSize: wanted.pointSize, scales: wanted.scales, quality: nil, batch: wanted.batch))
}

struct NotInTime: Error { let what: String }

/// Looks again and again until it is so.
func eventually(
    within limit: Duration = .seconds(90), _ what: String, _ holds: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if try await holds() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NotInTime(what: what)
}
