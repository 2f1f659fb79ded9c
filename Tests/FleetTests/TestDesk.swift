import CommandLineOptions
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Fleet

/// A Redis of one test with a queue in it, a worker that settles jobs without looking at pictures, and the
/// built program of an operator.
final class TestDesk: Sendable {
    let redis: PrivateRedis
    let client: RedisClient
    let keys = QueueKeys()
    let worker: WorkerQueue

    init(appendOnly: Bool = false, password: String? = nil, configuration: [String] = []) async throws {
        redis = try await PrivateRedis(
            appendOnly: appendOnly, password: password, configuration: configuration)
        client = redis.client()
        worker = WorkerQueue(keys, worker: WorkerID("w1"), claims: redis.client(), moves: client)
    }

    var operators: OperatorQueue { OperatorQueue(keys, client: client) }
    var producer: ProducerQueue { ProducerQueue(keys, client: client) }

    var socket: String {
        guard case .unix(let path) = redis.address.endpoint else { preconditionFailure("a private Redis") }
        return path
    }
    var url: String { "unix://\(socket)" }

    /// The built program.
    func fleet(_ arguments: String..., environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path("fleet"), arguments,
            environment: ["REDIS_URL": url].merging(environment) { $1 })
    }

    /// Runs the built program to its end.
    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Ran {
        try await run(arguments, environment: environment)
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ran {
        let program = try ChildProcess(
            BuiltProgram.path("fleet"), arguments,
            environment: ["REDIS_URL": url].merging(environment) { $1 })
        return Ran(
            exit: await program.wait(), output: program.standardOutput, complaints: program.standardError)
    }

    struct Ran {
        let exit: ChildProcess.Exit?
        let output: String
        let complaints: String

        var lines: [Substring] { output.split(separator: "\n") }
    }

    func redis(_ words: String...) async throws -> RedisReply {
        var command = RedisCommand(words[0], mayBeReplayed: true)
        for word in words.dropFirst() { command.append(word) }
        return try await client.callWhenUp(command)
    }

    func push(_ raw: String) async throws { _ = try await redis("LPUSH", keys.queue, raw) }

    /// Pushes a job that is served before all that wait.
    func pushNext(_ raw: String) async throws { _ = try await redis("RPUSH", keys.queue, raw) }

    /// Pushes a job, claims it and sends it to its next attempt.
    func fail(_ id: String, _ code: ErrorCode) async throws {
        try await pushNext(job(id))
        _ = try await worker.renew(TestDesk.facts)
        _ = try await worker.claim(limit: 1)
        let ticket = Job.read(Array(job(id).utf8)).ticket
        var generator = SystemRandomNumberGenerator()
        _ = try await worker.retry(
            ticket, JobResult(ticket, source: "\(id).jpg", error: JobFailure(code, "no")), using: &generator)
    }

    /// Pushes a job and settles it: as done without a code.
    @discardableResult
    func settle(_ id: String, _ code: ErrorCode? = nil, batch: String? = nil) async throws -> JobTicket {
        let raw = job(id, batch: batch)
        try await push(raw)
        _ = try await worker.renew(TestDesk.facts)
        _ = try await worker.claim(limit: 1)
        let ticket = Job.read(Array(raw.utf8)).ticket
        if let code {
            let failure = JobFailure(code, "\(code.rawValue) of \(id)", detail: ["rows": .integer(9)])
            var result = JobResult(ticket, source: "\(id).jpg", error: failure)
            result.worker = "w1"
            _ = try await worker.bury(ticket, result)
        } else {
            _ = try await worker.finish(ticket, JobResult(ticket, source: "\(id).jpg", outputs: []))
        }
        return ticket
    }

    /// As a worker says it.
    static let facts = [
        ("host", "box"), ("pid", "42"), ("version", "0.1.0"), ("budget_bytes", "1073741824"),
        ("reserved_bytes", "1048576"), ("reserved_peak_bytes", "536870912"), ("running", "1"),
        ("finished", "1"), ("failed", "0"),
        ("rss_bytes", "2097152"), ("seen_at", "2026-11-30T04:00:05.500Z"),
        ("last_claim_at", "2026-11-30T04:00:00.500Z"),
    ]

    /// Ends a worker's lease without waiting for it.
    func expire(_ worker: String, secondsAgo: Int64) async throws {
        let end = try await operators.now() - secondsAgo * 1_000
        _ = try await redis("ZADD", keys.workers, "\(end)", worker)
    }
}

func job(_ id: String, batch: String? = nil) -> String {
    let batch = batch.map { #","batch":"\#($0)""# } ?? ""
    return #"{"id":"\#(id)"\#(batch),"source":"\#(id).jpg","pt":"1x1","scale":1}"#
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
