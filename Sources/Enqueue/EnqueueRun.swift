import CommandLineOptions
import Files
import Glibc
import JobQueue
import ProgramOptions
import Redis
import Threading
import Units

/// One run against Redis: push, perhaps follow, sum up.
struct EnqueueRun: Sendable {
    private let request: EnqueueRequest
    private let reader: ChunkReader
    private let signals: ProcessSignals
    private let batch: String
    private let client: RedisClient
    private let queue: ProducerQueue
    private let operators: OperatorQueue

    /// How long the first answer of Redis may take.
    private static let startPatience = Duration.seconds(3)

    init(_ request: EnqueueRequest, _ reader: ChunkReader, _ signals: ProcessSignals) {
        self.request = request
        self.reader = reader
        self.signals = signals
        batch = request.batch
        client = RedisClient(request.redis, name: "enqueue")
        let keys = QueueKeys(queue: request.queue)
        queue = ProducerQueue(keys, client: client)
        operators = OperatorQueue(keys, client: client)
    }

    func run() async -> ExitStatus {
        do {
            try await checkRedis()
            let interruption = Task { await tellOfInterruption() }
            defer { interruption.cancel() }
            var summary = EnqueueSummary(batch: batch)
            let pusher = Pusher(
                queue: queue, reader: reader, batch: batch, longestQueue: request.maxBacklog)
            let end = try await pusher.push(into: &summary)
            if case .full(let waiting) = end { return full(summary, waiting: waiting) }
            if request.waits, summary.enqueued > 0 {
                let follower = BatchFollower(
                    queue: queue, operators: operators, batch: batch, queueName: request.queue,
                    display: ProgressDisplay())
                summary.outcome = try await follower.follow(pushed: summary.enqueued)
            }
            await report(summary)
            return (summary.outcome?.failed ?? 0) > 0 ? .someJobsFailed : .done
        } catch let error as QueueError {
            complain("\(error)")
            complain(advice(for: error))
            return exitStatus(for: error)
        } catch {
            complain("\(error)")
            return .configuration
        }
    }

    /// Fails within seconds where the client itself would try for ever.
    private func checkRedis() async throws(QueueError) {
        let deadline = ContinuousClock.now + Self.startPatience
        while true {
            do throws(QueueError) {
                _ = try await operators.audit()
                return
            } catch {
                guard case .redis(let reason) = error, reason.isOutage, ContinuousClock.now < deadline else {
                    throw error
                }
                do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
            }
        }
    }

    private func full(_ summary: EnqueueSummary, waiting: Int) -> ExitStatus {
        if request.printsJSON { print(summary.json) }
        complain(
            "the queue is full: \(waiting) jobs wait, and --max-backlog allows \(request.maxBacklog ?? 0). "
                + "\(summary.enqueued) jobs were enqueued as batch \(batch); enqueue the rest when workers have "
                + "caught up")
        return .queueFull
    }

    private func report(_ summary: EnqueueSummary) async {
        if request.printsJSON {
            print(summary.json)
            return
        }
        print(summary.text)
        guard let outcome = summary.outcome, outcome.failed > 0 else { return }
        print(FailureAdvice.text(for: outcome.errors))
        do throws(QueueError) {
            for failure in try await queue.failures(ofBatch: batch, atMost: FailureAdvice.examples) {
                print("  \(failure.source ?? failure.id): \(failure.error?.message ?? "")")
            }
        } catch {
            complain("examples of failed jobs could not be read: \(error)")
        }
    }

    /// Ctrl-C ends this program, not the jobs.
    private func tellOfInterruption() async {
        for await _ in signals.received {
            complain(
                "interrupted; what was enqueued goes on. Its progress is in the hash "
                    + QueueKeys(queue: request.queue).batch(batch))
            exit(ExitStatus.interrupted.rawValue)
        }
    }

    private func advice(for error: QueueError) -> String {
        switch error {
        case .redis(.authenticationFailed), .redis(.forbidden):
            "give the user and the password as redis://USER:PASSWORD@HOST in --redis or REDIS_URL"
        case .redis(let reason) where reason.isOutage:
            "tried \(request.redis); is Redis running there? --redis or REDIS_URL names another"
        case .redis(.outOfMemory):
            "Redis is full (maxmemory); nothing is lost. Enqueue the rest when workers have caught up"
        case .redis(.wrongType): "another program uses this key; --queue names another queue"
        case .redis, .unexpectedAnswer, .evicts: "see the queue's keys in Redis"
        }
    }
}

/// Names of batches: when they began, and enough chance to be unique.
enum BatchName {
    static func random() -> String {
        let time = Timestamp.now().rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" }
        var generator = SystemRandomNumberGenerator()
        return "\(time)-\(token(using: &generator))"
    }

    /// Eight hexadecimal digits.
    static func token(using generator: inout some RandomNumberGenerator) -> String {
        let digits = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
