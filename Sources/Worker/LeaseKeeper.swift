import EventLog
import JobQueue
import Redis
import Synchronization
import Threading
import Units

/// Renews the worker's lease from a thread and a connection of its own, so that neither decoding on
/// every core nor a busy queue can make a live worker look dead. Goes on during the drain.
///
/// The first renewal makes the worker one of the fleet, so it comes only when the worker is told to start.
final class LeaseKeeper: Sendable {
    /// What the last renewals told.
    struct News: Sendable {
        var renewedAt: ContinuousClock.Instant?
        var answer: LeaseRenewal.Answer?
        /// The last that were told, and when.
        var figures: (QueueFigures, at: ContinuousClock.Instant)?
    }

    /// Each renewal that Redis has answered.
    let renewed = Announcement()
    private let news: Mutex<News>
    private let lease: Duration
    /// Between two renewals.
    let interval: Duration
    private let health: RedisHealth
    private let metrics: JobMetrics
    /// Renewals count the queue, for whoever scrapes this worker.
    private let countsQueue: Bool
    private let thread = Mutex<PeriodicThread?>(nil)
    private let makeThread: @Sendable (LeaseKeeper) -> PeriodicThread

    /// The pause after a renewal that Redis did not answer. Short, since after an outage longer than the lease
    /// nothing can be claimed until it is renewed; the connection keeps a pause of its own between attempts.
    private static let retryPause = Duration.milliseconds(250)
    /// Figures that are older are no longer told.
    private static let figuresLifetime = Duration.seconds(60)

    /// - Parameter info: what operators see of this worker; asked at every renewal.
    init(
        _ renewal: LeaseRenewal, lease: Duration, address: RedisAddress, name: String, health: RedisHealth,
        log: EventLog, trouble: TroubleLog, metrics: JobMetrics, countsQueue: Bool,
        info: @escaping @Sendable () -> [(String, String)]
    ) {
        self.lease = lease
        self.health = health
        self.metrics = metrics
        self.countsQueue = countsQueue
        interval = renewal.interval
        news = Mutex(News())
        makeThread = { keeper in
            let connection = Mutex<BlockingRedisClient?>(nil)
            return PeriodicThread(name: "lease") { [weak keeper] in
                connection.withLock { client in
                    // Made on the thread that uses it.
                    let client = client.orMake { BlockingRedisClient(address, name: name, health: health) }
                    let isAnswered = keeper?.renew(renewal, on: client, info: info(), log, trouble) ?? true
                    return isAnswered ? renewal.interval : Self.retryPause
                }
            }
        }
    }

    /// Renews for the first time, and from now on.
    func start() { thread.withLock { $0 = makeThread(self) } }

    /// True before the first renewal, too: nothing is known yet.
    var mayHaveSuspects: Bool { news.withLock { $0.answer?.mayHaveSuspects ?? true } }

    var isPaused: Bool { news.withLock { $0.answer?.isPaused ?? false } }

    /// How long the lease still runs, by this machine's own clock; nothing before the first renewal.
    /// It may run longer in Redis, never shorter: it counts from before the renewal was sent.
    var remaining: Duration {
        news.withLock { news in
            guard let renewedAt = news.renewedAt else { return .zero }
            return max(.zero, lease - (ContinuousClock.now - renewedAt))
        }
    }

    var lastAnswer: LeaseRenewal.Answer? { news.withLock(\.answer) }

    /// The whole queue as a renewal found it lately; nil when nothing is known.
    var figures: QueueFigures? {
        news.withLock { news in
            guard let (figures, at) = news.figures, ContinuousClock.now - at < Self.figuresLifetime else {
                return nil
            }
            return figures
        }
    }

    private var isCountDue: Bool {
        guard countsQueue else { return false }
        guard let (figures, at) = news.withLock(\.figures) else { return true }
        return ContinuousClock.now - at >= Self.countingPause(workers: figures.workers)
    }

    /// Counting takes Redis a step for each known worker, and each worker counts: with more than a hundred of them
    /// each counts more seldom, so that their sum grows no faster than their number.
    static func countingPause(workers: Int) -> Duration {
        min(figuresLifetime / 2, .milliseconds(25) * workers)
    }

    /// Ends the renewals. Blocks until one under way is over.
    func stop() { thread.withLock { $0.take() }?.stop() }

    /// False while Redis is away.
    private func renew(
        _ renewal: LeaseRenewal, on client: BlockingRedisClient, info: [(String, String)], _ log: EventLog,
        _ trouble: TroubleLog
    ) -> Bool {
        let asked = ContinuousClock.now
        do throws(QueueError) {
            let answer = try renewal.renew(on: client, info: info, countsQueue: isCountDue)
            news.withLock { news in
                (news.renewedAt, news.answer) = (asked, answer)
                if let figures = answer.figures { news.figures = (figures, at: asked) }
            }
            if answer.jobsLost > 0 {
                metrics.noteLostLease()
                // They run elsewhere now; what still runs here of them will be found stale.
                log.warning("lease.lost", ["jobs": .integer(answer.jobsLost)])
            }
            renewed.announce()
            return true
        } catch {
            if health.isDown {
                // Logged already, by the health that all connections share.
                log.debug("lease.not_renewed", ["error": .text(of: error)])
                return false
            }
            trouble.note("lease.not_renewed", error)
            if case .redis(let reason) = error { return !reason.isOutage }
            return true
        }
    }
}

extension Optional {
    fileprivate mutating func orMake(_ make: () -> Wrapped) -> Wrapped {
        if let value = self { return value }
        let value = make()
        self = value
        return value
    }
}
