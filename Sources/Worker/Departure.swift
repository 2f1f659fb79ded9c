import EventLog
import JobQueue
import Redis
import Threading

/// How a worker lets go: of a claim that sleeps in Redis, of jobs that it will not finish, of the fleet. No step waits
/// for Redis without a limit; what it cannot give back, the end of its lease does.
struct Departure: Sendable {
    let queue: WorkerQueue
    let claims: RedisClient
    let moves: RedisClient
    let lease: LeaseKeeper
    let running: RunningJobs
    let files: BlockingThreads
    let metrics: JobMetrics
    let log: EventLog

    /// How long giving jobs back may take when Redis does not answer: the lease gives them back, too.
    static let releasePatience = Duration.seconds(3)
    /// How long Redis may take to let go of a claim that sleeps in it, and to let the worker leave once it has
    /// not answered for `releasePatience`.
    static let wakePatience = Duration.seconds(2)
    static let hungPatience = Duration.seconds(1)

    /// Ends the claim loop. A claim asleep in Redis is woken until the loop has noticed: the wake-up may
    /// come just before it falls asleep. Where Redis hangs, the connection is given up: what it still moves into
    /// this worker's list is found there. Of a plain pop nothing would be, so that one is waited for.
    func stop(_ claiming: Task<Void, Never>) async {
        claiming.cancel()
        // Nobody waits for its end: a call under way cannot be cancelled.
        let waking = Task {
            do {
                while !Task.isCancelled {
                    _ = try await queue.stopWaiting()
                    try await Task.sleep(for: .milliseconds(5))
                }
            } catch let error as QueueError {
                // Without Redis nothing is asleep in it.
                log.debug("claim.not_woken", ["error": .text(of: error)])
            } catch {}
        }
        defer { waking.cancel() }
        await withTaskGroup(of: Void.self) { group in
            if queue.ownership == .list {
                group.addTask {
                    do { try await Task.sleep(for: Self.wakePatience) } catch { return }
                    claims.close()
                }
            }
            await claiming.value
            group.cancelAll()
        }
    }

    /// Cuts off what still asks for jobs.
    func giveUpClaims() { claims.close() }

    /// Gives back jobs, without counting an attempt.
    func release(_ unsettled: [(RunningJobs.Token, JobTicket)]) async {
        guard !unsettled.isEmpty else { return }
        log.info("worker.releasing", ["jobs": .integer(unsettled.count)])
        await withDeadline(Self.releasePatience) {
            for (token, ticket) in unsettled {
                do throws(QueueError) {
                    metrics.note(try await queue.release(ticket))
                    log.info("job.released", ["id": .string(ticket.id)])
                } catch {
                    log.error("job.unsettled", ["id": .string(ticket.id), "error": .text(of: error)])
                }
                running.end(token, nil)
            }
        }
        for (token, _) in unsettled { running.end(token, nil) }
    }

    /// Leaves the fleet: gives back what came with a lost reply, and returns the lease last.
    func leave(fromHungRedis isHung: Bool) async {
        await withDeadline(isHung ? Self.hungPatience : Self.releasePatience) {
            do throws(QueueError) {
                if queue.ownership == .list {
                    for raw in try await queue.claimedHere().jobs {
                        _ = try await queue.release(Job.read(raw).ticket)
                    }
                }
                // Waits for a renewal under way.
                await files.run { lease.stop() }
                _ = try await queue.deregister()
            } catch {
                log.warning("worker.not_deregistered", ["error": .text(of: error)])
            }
        }
        claims.close()
        moves.close()
    }
}

/// Runs `work` and returns when it is done or `limit` has passed. Then it is cancelled, and goes on by itself
/// where it waits for what cannot be cancelled: a call to Redis that is under way.
private func withDeadline(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
    let isDone = Watched(false)
    let task = Task {
        await work()
        isDone.update { $0 = true }
    }
    await withTaskGroup(of: Void.self) { group in
        group.addTask { await isDone.wait { $0 } }
        group.addTask { do { try await Task.sleep(for: limit) } catch { return } }
        await group.next()
        group.cancelAll()
    }
    task.cancel()
}
