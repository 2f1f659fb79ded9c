import Failpoints
import JobQueue
import Redis
import Units

/// How the worker is, for whoever supervises it: alive, ready, and in a sentence.
struct WorkerHealth: Sendable {
    /// A verdict and its reason in words.
    struct Verdict: Sendable, Equatable {
        let isGood: Bool
        let reason: String
    }

    let progress: ClaimProgress
    let redis: RedisHealth
    let lease: LeaseKeeper
    let running: RunningJobs
    /// Told to stop.
    let isDraining = Flag()

    /// The longest that the claim loop may stand still. Sleeping in Redis, the limit of its answer and what is done
    /// about an error take a third of it together.
    private static var stallLimit: Duration { TestBuild.stallLimit ?? .seconds(30) }

    /// How long the claim loop has stood still although nothing holds it back.
    var claimAge: Duration {
        progress.age { step in
            switch step {
            case _ where redis.isDown: true
            case .attempting: false
            case .heldBack: running.counts.running > 0
            case .unclaimable: lease.isPaused || lease.remaining == .zero
            case .ended: true
            }
        }
    }

    /// A worker that is not alive has to be started anew. One that waits for memory, for Redis, for the end of a
    /// pause or of its last jobs is alive.
    var isAlive: Verdict {
        let age = claimAge
        guard age <= Self.stallLimit else {
            return Verdict(
                isGood: false,
                reason: "the claim loop has not moved for \(age.shortText), and nothing holds it back")
        }
        return Verdict(isGood: true, reason: "alive")
    }

    /// A worker that is ready claims jobs.
    var isReady: Verdict {
        if isDraining.isSet { return Verdict(isGood: false, reason: "draining: told to stop") }
        if redis.isDown { return Verdict(isGood: false, reason: "Redis is away") }
        guard progress.hasClaimed else { return Verdict(isGood: false, reason: "connecting to Redis") }
        let alive = isAlive
        guard alive.isGood else { return alive }
        return Verdict(isGood: true, reason: lease.isPaused ? "ready; the queue is paused" : "ready")
    }
}
