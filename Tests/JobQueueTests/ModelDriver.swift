@testable import JobQueue
import QueueModel
import Redis
import TestSupport

/// Makes a model's moves on a real queue, by the methods that the programs use, and reads all of it back.
final class ModelDriver {
    private let redis: PrivateRedis
    private let client: RedisClient
    private let keys = QueueKeys(queue: "q")
    private let limits: QueueLimits
    private let producer: ProducerQueue
    private let operators: OperatorQueue
    /// What is now in the model, in the server's milliseconds.
    private var epoch = 0
    private var reader: StateReader

    init(_ redis: PrivateRedis, _ model: QueueModel.Limits) {
        self.redis = redis
        client = redis.client()
        var limits = QueueLimits()
        limits.lease = .milliseconds(model.lease)
        limits.expiredWorkerLifetime = .milliseconds(model.expiredWorkerLifetime)
        limits.infoLifetime = .seconds(3600)
        (limits.attempts, limits.crashes) = (model.attempts, model.crashes)
        (limits.workersPerReclaim, limits.jobsPerReclaim) = (model.workersPerReclaim, model.jobsPerReclaim)
        limits.jobsPerPromote = model.jobsPerPromote
        self.limits = limits
        producer = ProducerQueue(keys, client: client)
        operators = OperatorQueue(keys, client: client)
        reader = StateReader(client, keys, epoch: 0)
    }

    /// Forgets everything: the queue is as if nobody had ever used it.
    func startOver() async throws {
        _ = try await client.call(RedisCommand("FLUSHALL"))
        let time = try await client.call(RedisCommand("TIME")).array?.compactMap { Int($0.text ?? "") } ?? []
        epoch = time[0] * 1000 + time[1] / 1000
        reader = StateReader(client, keys, epoch: epoch)
    }

    func state() async throws -> QueueState { try await reader.state() }

    func perform(_ move: Move) async throws -> Outcome {
        switch move {
        case .push(let job):
            var command = RedisCommand("LPUSH", keys.queue)
            command.append(job.raw)
            _ = try await client.call(command)
            return .nothing
        case .enqueue(let jobs, let batch, let chunk, let longest):
            return try await enqueue(jobs, batch, chunk, longest)
        case .claim(let worker, let limit): return try await claim(worker, limit)
        case .blockingMove(let worker):
            return try await queue(worker).wait(atMost: .milliseconds(1)).map { .moved($0) } ?? .nothing
        case .pop:
            return try await queue("popper", .none).popUnsafely(atMost: .milliseconds(1)).map { .moved($0) }
                ?? .nothing
        case .lookAtList(let worker):
            return .held(try await queue(worker).claimedHere().jobs)
        case .settle(let settling, let job, let worker):
            return try await settle(settling, job, on: queue(worker))
        case .settlePopped(let settling, let job):
            return try await settle(settling, job, on: queue("popper", .none))
        case .renew(let worker): return try await renew(worker)
        case .reclaim:
            let answer = try await queue("reaper").reclaim()
            return .reclaimed(
                requeued: answer.requeued, buried: answer.buried, forgotten: answer.forgotten,
                isCut: answer.isCut)
        case .promote:
            let (promoted, nextDue) = try await queue("reaper").promote()
            return .promoted(promoted, nextDue: nextDue.map(StateReader.snapped))
        case .deregister(let worker): return .left(try await queue(worker).deregister())
        case .pause: try await operators.pause(because: "a test")
        case .resume: try await operators.resume()
        case .retryDead(let places): return decided(try await operators.retryDead(try await entries(places)))
        case .discardDead(let places):
            return decided(try await operators.discardDead(try await entries(places)))
        case .deleteLease(let worker): _ = try await client.call(RedisCommand("ZREM", keys.workers, worker))
        case .sweep: return .swept(try await queue("reaper").sweep(cursor: "0").found.sorted())
        case .audit:
            let audit = try await operators.audit()
            return .audited(
                waiting: audit.waiting, delayed: audit.delayed, running: audit.running, taken: audit.taken,
                missing: audit.missing)
        case .advance(let milliseconds): try await reader.shift(milliseconds)
        case .silence(let worker):
            _ = try await client.call(
                RedisCommand("ZADD", keys.workers, "XX", String(epoch - 800_000), worker))
        }
        return .nothing
    }

    private func queue(_ worker: String, _ ownership: WorkerQueue.Ownership = .list) -> WorkerQueue {
        WorkerQueue(
            keys, worker: WorkerID(worker), claims: client, moves: client, limits: limits,
            ownership: ownership)
    }

    private func enqueue(
        _ jobs: [ModelJob], _ batch: String, _ chunk: String, _ longest: Int?
    ) async throws -> Outcome {
        let chunk = ProducerQueue.Chunk(name: chunk, jobs: jobs.map(\.raw))
        switch try await producer.enqueue([chunk], batch: batch, longestQueue: longest).first {
        case .enqueued(let waiting): return .enqueued(waiting: waiting)
        case .already(let waiting): return .alreadyEnqueued(waiting: waiting)
        case .full(let waiting): return .full(waiting: waiting)
        case .refused, nil: return .impossible
        }
    }

    private func claim(_ worker: String, _ limit: Int) async throws -> Outcome {
        switch try await queue(worker).claim(limit: limit) {
        // None is: a model that hashes long ones all the time takes minutes. `TooLongTests` has them.
        case .tooLong: .impossible
        case .jobs(let jobs): .claimed(jobs.map { .init(raw: $0.raw, crashes: $0.crashes) })
        case .empty: .empty
        case .paused: .paused
        case .leaseLapsed: .leaseLapsed
        }
    }

    private func settle(
        _ settling: Move.Settling, _ job: ModelJob, on queue: WorkerQueue
    ) async throws -> Outcome {
        let ticket = Job.read(job.raw).ticket
        let settled: WorkerQueue.Settled
        switch settling {
        case .finish: settled = try await queue.finish(ticket, done(ticket))
        case .bury: settled = try await queue.bury(ticket, failed(ticket, .notAnImage))
        case .retry(let pause):
            var backoff = Backoff()
            (backoff.base, backoff.cap) = (.milliseconds(pause), .milliseconds(pause))
            var longest = LongestPause()
            settled = try await queue.retry(ticket, failed(ticket), backoff: backoff, using: &longest)
        case .release(let pause):
            settled = try await queue.release(ticket, after: pause.map { .milliseconds($0) })
        }
        switch settled {
        case .finished(let attempt): return .finished(attempt: attempt)
        case .buried(let attempt): return .buried(attempt: attempt)
        case .retried(let attempt, let delay):
            return .retried(attempt: attempt, pause: StateReader.snapped(delay))
        case .released: return .released
        case .stale: return .stale
        }
    }

    /// The entries at these places of the dead list, oldest first; one that there is not beyond its end.
    private func entries(_ places: [Int]) async throws -> [String] {
        var entries: [String] = []
        try await operators.forEachDead { job in
            entries.append(job.entry)
            return true
        }
        entries.reverse()
        return places.map { $0 < entries.count ? entries[$0] : "1-1" }
    }

    private func decided(_ decided: OperatorQueue.Decided) -> Outcome {
        .decided(done: decided.done, gone: decided.gone)
    }

    private func renew(_ worker: String) async throws -> Outcome {
        let answer = try await queue(worker).renew()
        return .renewed(
            isPaused: answer.isPaused, expiredWorkers: answer.expiredWorkers,
            nextDue: answer.nextDue.map(StateReader.snapped), jobsLost: answer.jobsLost,
            mayHaveSuspects: answer.mayHaveSuspects)
    }
}

/// Makes every random pause as long as it may be.
private struct LongestPause: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}
