import JobQueue
import Redis
import TestSupport
import Threading

/// One run: producers push, workers work, everything goes wrong, and in the end all has to add up.
///
/// The seed decides what is pushed and what goes wrong when, and to whom. How the operating system runs the
/// processes beneath it is not in anybody's hand: a seed that failed fails again mostly, not always.
public struct ChaosRun: Sendable {
    public struct Settings: Sendable {
        public var seed: UInt64
        public var jobs = 5_000
        /// How long things go wrong.
        public var length = Duration.seconds(30)
        public var workers = 5
        /// The worker programs, taken in turn.
        public var programs: [String]
        public var logs: String?

        public init(seed: UInt64, programs: [String]) {
            self.seed = seed
            self.programs = programs
        }
    }

    private let settings: Settings
    private let tell: @Sendable (String) -> Void
    private let start = ContinuousClock.now
    /// Of jobs that are retried until they are buried, and of workers that have to come back first.
    private static let patience = Duration.seconds(120)

    /// - Parameter tell: what happens, line by line.
    public init(_ settings: Settings, tell: @escaping @Sendable (String) -> Void) {
        self.settings = settings
        self.tell = tell
    }

    /// - Returns: what is wrong, and the counts. Throws when the run itself could not be carried out.
    public func run() async throws -> Verdict {
        let site = try await Site(workers: settings.workers, programs: settings.programs, logs: settings.logs)
        let ledger = Ledger()
        let references = try await withThrowingTaskGroup(of: Void.self) { group in
            for slot in site.slots { group.addTask { try await slot.run() } }
            let references = try await referenceThumbnails(site, ledger)
            try await storm(site, ledger)
            report("calm again; \(ledger.count) jobs pushed")
            try await drain(site, ledger)
            for slot in site.slots { slot.close() }
            try await group.waitForAll()
            return references
        }
        return try await Verdict(site, ledger, references: references)
    }

    /// What a worker makes of each picture while nothing is wrong.
    private func referenceThumbnails(_ site: Site, _ ledger: Ledger) async throws -> [String: [UInt8]] {
        var jobs: [(id: String, kind: Ledger.Kind)] = JobKinds.pictures.indices.map {
            ("reference-\($0)", .good)
        }
        jobs.append(("reference-slow", .slow))
        for job in jobs {
            var command = RedisCommand("LPUSH", site.keys.queue)
            command.append(JobKinds.bytes(job.kind, id: job.id))
            _ = try await site.client.callWhenUp(command)
            ledger.note(job.id, job.kind, .acknowledged)
        }
        try await until("the reference thumbnails") {
            try await site.audit().counters["finished"] == jobs.count
        }
        var references: [String: [UInt8]] = [:]
        for job in jobs {
            references[JobKinds.picture(of: job.id, job.kind)] = site.thumbnail(JobKinds.output(of: job.id))
        }
        return references
    }

    /// Producers and weather at the same time.
    private func storm(_ site: Site, _ ledger: Ledger) async throws {
        let weather = Weather(seed: settings.seed, length: settings.length, workers: settings.workers)
        let share = settings.jobs / 4
        let python = try PythonProducer(
            name: "python", socket: site.redis.socket, queue: site.keys.queue,
            count: settings.jobs - 3 * share, over: settings.length)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                let producer = Producer(
                    name: "p\(number)", client: site.redis.client("producer"), queue: site.keys.queue,
                    ledger: ledger)
                group.addTask {
                    await producer.push(
                        share, over: settings.length, seed: settings.seed &+ UInt64(number) &+ 1)
                }
            }
            let begin = ContinuousClock.now
            for front in weather.fronts {
                group.addTask {
                    try await Task.sleep(until: begin + front.start, clock: .continuous)
                    report("\(front.event)")
                    do { try await site.suffer(front.event) } catch {
                        report("\(front.event) could not be done: \(error)")
                        throw error
                    }
                }
            }
            try await group.waitForAll()
        }
        try await python.settle(into: ledger)
    }

    /// Redis is full now, and everything that waits has to be done all the same.
    private func drain(_ site: Site, _ ledger: Ledger) async throws {
        let jobs = ledger.all
        try await site.fill()
        report("redis full until the queue is empty")
        do {
            try await until("the full queue to drain") {
                // Those of a newer version wait for a newer worker.
                try await site.unpublishedAtRest()?.allSatisfy { job in
                    jobs[Job.read(job).ticket.id]?.kind == .newerVersion
                } ?? false
            }
        } catch let error as NotInTime {
            // The verdict tells what is left where.
            report("\(error)")
        }
    }

    private func until(_ what: String, _ look: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while try await !look() {
            guard ContinuousClock.now < deadline else { throw NotInTime(what: what) }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func report(_ text: String) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rounded = (seconds * 10).rounded() / 10
        tell("\(rounded) s  \(text)")
    }
}

struct NotInTime: Error, CustomStringConvertible {
    let what: String
    var description: String { "waited in vain for \(what)" }
}
