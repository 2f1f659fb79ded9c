import JobQueue
import Redis
import TestSupport
import Threading

/// One run: jobs wait, the fleet forms up, works them off, and then has nothing to do.
///
/// Redis and all simulated workers share this machine. So jobs a second and latencies are what both together
/// reach; what Redis itself pays (CPU time, bytes, memory) is counted by Redis and holds elsewhere, too.
struct Simulation {
    struct Settings: Sendable {
        let workers: Int
        let jobs: Int
        /// The mean; the times are exponentially distributed, as where a few pictures are large.
        let hold: Duration
        /// Jobs that a worker holds at a time.
        let slots: Int
        /// How long the idle fleet is watched.
        let idle: Duration
        let seed: UInt64
        /// Lines of Redis' configuration, each a name and a value.
        let redisSettings: [String]
    }

    private let settings: Settings
    private let keys = QueueKeys()

    init(_ settings: Settings) { self.settings = settings }

    /// Throws when the run itself could not be carried out.
    func run() async throws -> SimulationReport {
        // As the README asks for it: jobs outlive a restart of Redis but for the last second.
        let redis = try await PrivateRedis(
            tcp: true, appendOnly: true,
            configuration: ["--appendfsync", "everysec", "--maxclients", "10000", "--tcp-backlog", "4096"]
                + settings.redisSettings.flatMap { line in
                    ("--" + line).split(separator: " ", maxSplits: 1).map(String.init)
                })
        // Over TCP, as from other machines.
        let address = redis.tcpAddress ?? redis.address
        let client = RedisClient(address, name: "simulation")
        let empty = try await RedisFigures(askedOf: client)
        try await push(to: client)
        let full = try await RedisFigures(askedOf: client)

        let stage = SimulationStage(jobs: settings.jobs)
        let workers = (0..<settings.workers).map { number in
            SimulatedWorker(
                keys, at: address, on: stage, hold: settings.hold, slots: settings.slots,
                seed: settings.seed &+ UInt64(number))
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await worker.run() } }
            let watch = Task {
                await stage.untilAllArePresent(workers.count)
                let before = try await RedisFigures(askedOf: client)
                stage.open()
                await stage.untilAllJobsAreFinished()
                let after = try await RedisFigures(askedOf: client)
                try await Task.sleep(for: settings.idle)
                let idle = try await RedisFigures(askedOf: client)
                return (before, after, idle)
            }
            group.addTask {
                // Ends the fleet; a worker that failed before ends the watch instead.
                _ = try await watch.value
                stage.close()
            }
            do { while try await group.next() != nil {} } catch {
                watch.cancel()
                stage.close()
                throw error
            }
            let (before, after, idle) = try await watch.value
            let audit = try await OperatorQueue(keys, client: client).audit()
            return SimulationReport(
                settings: settings, pushed: full - empty, worked: after - before, idle: idle - after,
                accounts: workers.map(\.account), audit: audit)
        }
    }

    private func push(to client: RedisClient) async throws {
        let producer = ProducerQueue(keys, client: client)
        for start in stride(from: 0, to: settings.jobs, by: QueueLimits.jobsPerChunk) {
            let end = min(start + QueueLimits.jobsPerChunk, settings.jobs)
            let chunk = ProducerQueue.Chunk(name: "\(start)", jobs: (start..<end).map(Self.job))
            _ = try await producer.enqueue([chunk], batch: "simulation")
        }
    }

    /// As `enqueue` writes it, of a usual length.
    private static func job(_ number: Int) -> [UInt8] {
        let digits = String(number)
        let name = String(repeating: "0", count: 8 - digits.count) + digits
        return Array(
            (#"{"batch":"simulation","pt":"120x120","scale":3,"#
                + #""source":"/srv/photos/2026/11/holiday/IMG_\#(name).jpg"}"#).utf8)
    }
}
