import Glibc
import JobQueue
import Redis
import Synchronization
import TestSupport

/// A worker without pictures: it claims as `ClaimLoop` does, sleeps instead of decoding, finishes with a result of a
/// usual length, and renews its lease on a connection of its own.
final class SimulatedWorker: Sendable {
    /// What one worker did, and how long Redis took to answer.
    struct Account: Sendable {
        var finished = 0
        /// The job was no longer this worker's: its lease had run out.
        var stale = 0
        /// Round trips to Redis, those without a job included.
        var claims = 0
        var waits = 0
        var renewals = 0
        /// Of claims that brought a job, of finishes, of renewals.
        var claimTimes: [Duration] = []
        var finishTimes: [Duration] = []
        var renewalTimes: [Duration] = []
    }

    private let stage: SimulationStage
    private let queue: WorkerQueue
    private let lease: WorkerQueue
    private let clients: [RedisClient]
    private let hold: Duration
    private let slots: Int
    private let seed: UInt64
    private let noted = Mutex(Account())

    /// As `ClaimLoop.idleWait`.
    private static let idleWait = Duration.seconds(5)

    init(
        _ keys: QueueKeys, at address: RedisAddress, on stage: SimulationStage, hold: Duration, slots: Int,
        seed: UInt64
    ) {
        let id = WorkerID.random()
        clients = (0..<3).map { _ in RedisClient(address, name: id.connectionName) }
        queue = WorkerQueue(keys, worker: id, claims: clients[0], moves: clients[1])
        lease = WorkerQueue(keys, worker: id, claims: clients[2], moves: clients[2])
        (self.stage, self.hold, self.slots, self.seed) = (stage, hold, slots, seed)
    }

    var account: Account { noted.withLock { $0 } }

    /// Works until the stage is closed.
    func run() async throws {
        defer { for client in clients { client.close() } }
        try await join()
        stage.arrive()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.renewForEver() }
            group.addTask { try await self.claimForEver() }
            group.addTask { [stage] in
                await stage.untilClosed()
                throw CancellationError()
            }
            // Not `waitForAll`: that waits for the others before it tells of the one that failed.
            do { try await group.next() } catch is CancellationError {
                // The end of the run: a claim under way is cut off by the closed connections.
                for client in clients { client.close() }
                group.cancelAll()
            }
        }
    }

    /// Gets a lease. A crowd that comes at once is not let in at once.
    private func join() async throws {
        while true {
            do throws(QueueError) {
                _ = try await lease.renew(Self.info)
                return
            } catch {
                guard case .redis(let reason) = error, reason.isOutage else { throw error }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func renewForEver() async throws {
        // Spread over the interval, as workers that were started by and by are.
        var random = SplitMix(seed: seed)
        let interval = QueueLimits().lease / 4
        try await Task.sleep(for: interval * Double.random(in: 0..<1, using: &random))
        while true {
            let asked = ContinuousClock.now
            _ = try await lease.renew(Self.info)
            let time = ContinuousClock.now - asked
            noted.withLock {
                $0.renewals += 1
                $0.renewalTimes.append(time)
            }
            try await Task.sleep(until: asked + interval, clock: .continuous)
        }
    }

    private func claimForEver() async throws {
        await stage.untilOpen()
        var random = SplitMix(seed: seed &+ 0x9e37)
        var asksByScript = true
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            while !Task.isCancelled {
                if running == slots {
                    try await group.next()
                    running -= 1
                }
                guard let raw = try await next(&asksByScript) else { continue }
                let length = hold * -log1p(-Double.random(in: 0..<1, using: &random))
                running += 1
                group.addTask { try await self.work(raw, for: length) }
            }
        }
    }

    /// By script while jobs wait, by a blocking move while none does.
    private func next(_ asksByScript: inout Bool) async throws -> [UInt8]? {
        let asked = ContinuousClock.now
        guard asksByScript else {
            let raw = try await queue.wait(atMost: Self.idleWait)
            noted.withLock { $0.waits += 1 }
            if raw != nil, ContinuousClock.now - asked < .milliseconds(1) { asksByScript = true }
            return raw
        }
        let answer = try await queue.claim(limit: 1)
        let time = ContinuousClock.now - asked
        noted.withLock { $0.claims += 1 }
        guard case .jobs(let jobs) = answer, let job = jobs.first else {
            guard answer == .empty else { throw UnexpectedClaim(answer: answer) }
            asksByScript = false
            return nil
        }
        noted.withLock { $0.claimTimes.append(time) }
        return job.raw
    }

    private func work(_ raw: [UInt8], for length: Duration) async throws {
        if length > .zero { try await Task.sleep(for: length) }
        guard case .job(let job) = Job.read(raw) else { preconditionFailure("the simulation pushes jobs") }
        let result = result(of: job)
        let asked = ContinuousClock.now
        let settled = try await queue.finish(job.ticket, result)
        let time = ContinuousClock.now - asked
        noted.withLock {
            if settled == .stale { $0.stale += 1 } else { $0.finished += 1 }
            $0.finishTimes.append(time)
        }
        if settled != .stale { stage.finishOne() }
    }

    /// As long as that of a real job.
    private func result(of job: Job) -> JobResult {
        var result = JobResult(
            job.ticket, source: job.source,
            outputs: [
                JobResult.Output(
                    path: "120x120@3x" + job.source, width: 360, height: 270, bytes: 22_675, scale: 3)
            ])
        result.stored = JobResult.Size(width: 4032, height: 3024)
        result.displayed = result.stored
        result.orientation = JobResult.Orientation(value: 1, from: "exif")
        result.decodeScale = 0.25
        result.footprintBytes = 3_565_158
        result.notes = []
        var timings = JobResult.Timings()
        (timings.wait, timings.read, timings.decode) = (0.1, 1.2, 20.1)
        (timings.resample, timings.encode, timings.write) = (1.9, 0.2, 0.3)
        result.timings = timings
        result.worker = queue.worker.description
        return result
    }

    /// As many facts, and as long, as a real worker's.
    private static let info = [
        ("host", "simulated"), ("pid", "12345"), ("version", "0.1.0"), ("budget", "536870912"),
        ("reserved", "131072"), ("running", "2"), ("finished", "100"), ("failed", "0"), ("rss", "21810380"),
        ("last_claim", "1796112000000"),
    ]
}

struct UnexpectedClaim: Error { let answer: WorkerQueue.ClaimAnswer }
