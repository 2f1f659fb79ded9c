import CommandLineOptions
import Glibc
import JobQueue
import Redis
import Threading
import Units

/// One run against Redis: connect, push, perhaps follow, sum up.
struct EnqueueRun: Sendable {
    private let request: EnqueueRequest
    private let reader: ChunkReader
    private let signals: ProcessSignals
    private let tally: Tally
    private let display = ProgressDisplay()
    private let outages: OutageNotice
    private let queue: ProducerQueue
    private let operators: OperatorQueue
    private let steps: NextSteps

    /// How long the first answer of Redis may take.
    private static let startPatience = Duration.seconds(3)
    /// How long Ctrl-C waits for what is on its way, so that the number it tells is right.
    private static let stopPatience = Duration.seconds(1)

    init(_ request: EnqueueRequest, _ reader: ChunkReader, _ signals: ProcessSignals) {
        self.request = request
        self.reader = reader
        self.signals = signals
        tally = Tally(EnqueueSummary(batch: request.batch, place: request.source.place))
        steps = NextSteps(request)
        let outages = OutageNotice(display)
        let client = RedisClient(
            request.redis, name: "enqueue", health: RedisHealth { outages.note($0) })
        self.outages = outages
        let keys = QueueKeys(queue: request.queue)
        queue = ProducerQueue(keys, client: client)
        operators = OperatorQueue(keys, client: client)
    }

    func run() async -> ExitStatus {
        let interruption = Task { await leaveOnSignal() }
        do throws(EnqueueError) {
            try await connect()
            let pusher = Pusher(
                queue: queue, reader: reader, tally: tally, display: display,
                longestQueue: request.maxBacklog,
                waitsForRoom: request.waitsForRoom)
            switch try await pusher.push() {
            case .all: break
            case .full(let waiting): return refuse(waiting: waiting)
            case .stopped:
                await interruption.value
                return .interrupted
            }
            display.clear()
            if !request.printsJSON { say(tally.summary.pushedText) }
            if request.waits { try await follow() }
            await report()
            if request.failsIfEmpty, tally.summary.enqueued == 0 { return .noInput }
            return (tally.summary.outcome?.failed ?? 0) > 0 ? .someJobsFailed : .done
        } catch {
            return giveUp(error)
        }
    }

    /// Fails within seconds where the client itself would try for ever.
    private func connect() async throws(EnqueueError) {
        let attempts = Task { await firstAnswer() }
        let limit = Task {
            do { try await Task.sleep(for: Self.startPatience) } catch { return }
            attempts.cancel()
        }
        defer { limit.cancel() }
        if let error = await attempts.value { throw .queue(error) }
        outages.startTelling()
    }

    /// Nil once Redis has answered; the last reason once it will not, or the task is cancelled.
    private func firstAnswer() async -> QueueError? {
        var last = QueueError.redis(
            .unreachable(
                address: request.redis.description, reason: "no answer in \(Self.startPatience.shortText)"))
        while true {
            do throws(QueueError) {
                _ = try await operators.audit()
                return nil
            } catch .redis(.cancelled) {
                return last
            } catch .redis(let reason) where reason.isOutage {
                last = .redis(reason)
            } catch {
                return error
            }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return last }
        }
    }

    private func follow() async throws(EnqueueError) {
        guard tally.summary.enqueued > 0 else {
            tally.note(.init(finished: 0, failed: 0, errors: [:]))
            return
        }
        let follower = BatchFollower(
            queue: queue, operators: operators, batch: request.batch, queueName: request.queue,
            display: display, steps: steps)
        tally.note(try await follower.follow(pushed: tally.summary.enqueued))
    }

    private func report() async {
        let summary = tally.summary
        if request.printsJSON { return say(summary.json) }
        guard let outcome = summary.outcome, summary.enqueued > 0 else { return }
        say(outcome.text)
        guard outcome.failed > 0 else { return }
        do throws(QueueError) {
            let failures = try await queue.failures(ofBatch: request.batch, atMost: FailureExamples.most)
            if !failures.isEmpty { say(FailureExamples.text(of: failures)) }
        } catch {
            complain("examples of failed jobs could not be read: \(error)")
        }
    }

    private func refuse(waiting: Int) -> ExitStatus {
        display.clear()
        let summary = tally.summary
        if request.printsJSON { say(summary.json) }
        complain(
            "the queue is full: \(count(waiting, "job")) wait, and --max-backlog allows "
                + "\(request.maxBacklog ?? 0)")
        complain(
            summary.enqueued == 0
                ? "nothing was enqueued; try again when workers have caught up"
                : "\(summary.standing); enqueue the rest when workers have caught up")
        complain("or let it push the rest as workers take jobs, with --wait-for-room")
        return .queueFull
    }

    private func giveUp(_ error: EnqueueError) -> ExitStatus {
        display.close()
        let summary = tally.summary
        if request.printsJSON, summary.enqueued > 0 { say(summary.json) }
        complain("\(error)")
        if let advice = steps.advice(for: error) { complain(advice) }
        if summary.enqueued > 0 { complain(summary.standing) }
        return error.exitStatus
    }

    /// Ctrl-C ends this program, not the jobs.
    private func leaveOnSignal() async {
        for await _ in signals.received {
            let deadline = ContinuousClock.now + Self.stopPatience
            var isExact = tally.stop()
            while !isExact, ContinuousClock.now < deadline {
                do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
                isExact = tally.stop()
            }
            display.close()
            let summary = tally.summary
            if request.printsJSON { say(summary.json) }
            complain("interrupted; \(summary.standing)" + (isExact ? "" : ", or a few more"))
            if summary.enqueued > 0 {
                complain("what was enqueued goes on; to see how far it is: \(steps.seeBatch)")
            }
            exit(ExitStatus.interrupted.rawValue)
        }
    }
}
