import CommandLineOptions
import EventLog
import Failpoints
import Files
import JobQueue
import MemoryBudget
import ProgramOptions
import Redis
import ServiceManager
import Threading
import Units

/// One worker: every part put together, every task started, and the order in which they stop.
struct Worker: Sendable {
    private let options: WorkerOptions
    private let log: EventLog
    private let queue: WorkerQueue
    private let operators: OperatorQueue
    private let claims: RedisClient
    private let moves: RedisClient
    private let lease: LeaseKeeper
    private let running: RunningJobs
    private let admission: MemoryAdmission
    private let claimLoop: ClaimLoop
    private let outputs: OutputDirectory
    private let folderWatch: FolderWatch
    private let files: BlockingThreads
    private let reaper: Reaper
    private let pauseWatch: PauseWatch
    private let metrics = JobMetrics()
    private let health: WorkerHealth
    private let notices: ServiceNotices?
    private let giveBack = Flag()
    /// How it is, over HTTP.
    let pages: StatusPages
    private let queueRanDry = Announcement()

    /// How long the first answer of Redis may take: a container's Redis often starts beside its worker.
    static let startPatience = Duration.seconds(10)
    /// How long giving jobs back may take when Redis does not answer: the lease gives them back, too.
    static let releasePatience = Duration.seconds(3)
    /// How long Redis may take to let go of a claim that sleeps in it, and to let the worker leave once it has
    /// not answered for `releasePatience`.
    static let wakePatience = Duration.seconds(2)
    static let hungPatience = Duration.seconds(1)

    /// Between two looks of `--drain` at jobs that run elsewhere or are delayed.
    static let drainPace = Duration.seconds(1)

    init(_ options: WorkerOptions, in surroundings: Surroundings, log: EventLog) {
        let (id, admission) = (surroundings.id, MemoryAdmission(total: surroundings.budget))
        var limits = QueueLimits()
        limits.lease = TestBuild.lease ?? limits.lease
        let quarantine = Quarantine(atStart: limits.lease / 2, afterOutage: limits.lease)
        let trouble = TroubleLog(log, advice: RedisAdvice(options))
        let metrics = metrics
        let notices = surroundings.serviceManager.map { ServiceNotices(to: $0) }
        let progress = ClaimProgress(onFirstAttempt: { notices?.tellReady() })
        files = BlockingThreads(name: "file") { shortage in
            switch shortage {
            case .began(let threads):
                log.warning(
                    "worker.threads_scarce",
                    [
                        "threads": .integer(threads),
                        "do":
                            "raise TasksMax, pids.max or ulimit -u: jobs wait for the threads that there are",
                    ])
            case .ended: log.info("worker.threads_suffice")
            }
        }
        let redis = RedisHealth { change in
            quarantine.note(change)
            switch change {
            case .outageBegan(let error):
                trouble.tell("redis.outage_began", .redis(error))
            case .outageEnded(let length):
                progress.excuse()
                log.info("redis.outage_ended", ["after_ms": .duration(length)])
            }
        } onReminder: { error, length in
            trouble.tell("redis.outage_goes_on", .redis(error), after: length)
        } onRoundTrip: { length in
            metrics.noteRoundTrip(length)
        }
        let keys = QueueKeys(queue: options.queue)
        let name = id.connectionName
        var claimLimits = RedisLimits()
        claimLimits.longestString = QueueLimits.longestClaim
        claims = RedisClient(options.redis, name: name, limits: claimLimits, health: redis)
        moves = RedisClient(options.redis, name: name, health: redis)
        queue = WorkerQueue(
            keys, worker: id, claims: claims, moves: moves, limits: limits,
            ownership: options.fetch == .claim ? .list : .none
        )
        operators = OperatorQueue(keys, client: moves)
        running = RunningJobs()
        let facts = WorkerFacts(running: running, admission: admission)
        lease = LeaseKeeper(
            LeaseRenewal(keys, worker: id, limits: limits), lease: limits.lease, address: options.redis,
            name: name, health: redis, log: log, trouble: trouble, metrics: metrics,
            countsQueue: options.listen != nil, info: facts.fields)
        let cores = CoreThreads()
        let writes = PendingWrites()
        let settlement = Settlement(
            processor: JobProcessor(
                sources: surroundings.sources, outputs: surroundings.outputs, cores: cores,
                writes: writes, options: options, metrics: metrics, budget: admission.total,
                giveBack: giveBack),
            queue: queue, running: running, metrics: metrics, log: log)
        health = WorkerHealth(progress: progress, redis: redis, lease: lease, running: running)
        claimLoop = ClaimLoop(
            queue: queue, admission: admission, cores: cores, writes: writes, lease: lease,
            running: running, settlement: settlement, log: log, trouble: trouble, facts: facts,
            progress: progress, ranDry: options.drains ? queueRanDry : nil)
        pauseWatch = PauseWatch(
            queue: queue, operators: operators, lease: lease, isAsleep: claimLoop.isAsleep, log: log)
        reaper = Reaper(queue: queue, lease: lease, quarantine: quarantine, metrics: metrics, log: log)
        let page = MetricsPage(
            worker: id, queue: options.queue, jobs: metrics, running: running, admission: admission,
            lease: lease,
            redis: redis, health: health, process: surroundings.process)
        pages = StatusPages(metrics: page, health: health)
        self.notices = notices
        self.admission = admission
        outputs = surroundings.outputs
        folderWatch = FolderWatch(sources: surroundings.sources, outputs: outputs, files: files, log: log)
        self.options = options
        self.log = log
    }

    /// Checks Redis once, before the first claim.
    ///
    /// - Returns: also when the task is cancelled, whatever was found until then.
    /// - Throws: what a person has to mend: no Redis, no access, an eviction policy that loses jobs, a key
    ///   of another type under the queue's name.
    func checkQueue() async throws(QueueError) {
        let deadline = ContinuousClock.now + Self.startPatience
        while !Task.isCancelled {
            do throws(QueueError) {
                if !options.allowsEviction { try await operators.checkEviction() }
                _ = try await operators.audit()
                return
            } catch {
                if Task.isCancelled { return }
                guard case .redis(let reason) = error, reason.isOutage, ContinuousClock.now < deadline else {
                    throw error
                }
                do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
            }
        }
    }

    /// Works until told to stop, or until a folder is lost, and returns when every job is settled or given back.
    func run(signals: AsyncStream<ProcessSignals.Signal>) async -> ExitStatus {
        log.info(
            "worker.started",
            [
                "worker": .string(queue.worker.description), "version": .string(programVersion),
                "queue": .string(options.queue), "redis": .text(of: options.redis),
                "budget_bytes": .size(admission.total), "cores": .integer(claimLoop.cores.count),
                "sources": .list(options.sourceRoots), "output": .string(options.output),
            ])
        await Failpoint.started.reach()
        let telling = notices?.start(health, running)
        defer { telling?.stop() }
        lease.start()
        let jobs = JobTasks(on: files)
        return await withTaskGroup(of: Void.self) { group in
            let claiming = Task { await claimLoop.run(startingIn: jobs) }
            let working = Task { await jobs.run() }
            // Nobody waits for its end: a walk on a thread cannot be cancelled.
            Task { await StrayFiles.sweep(outputs, known: operators, on: files, log: log) }
            group.addTask { await reaper.run() }
            group.addTask { await pauseWatch.run() }
            let end = await superviseUntilStopped(signals, claiming: claiming, working: working)
            group.cancelAll()
            claiming.cancel()
            jobs.close()
            working.cancel()
            // Before the others have ended: what they ask of a Redis that hangs ends with the connections.
            await leave(within: end.isHung ? Self.hungPatience : Self.releasePatience)
            return end.status
        }
    }

    /// Turns what happens into events of `ShutdownState`, and performs its actions. No action waits for Redis: a
    /// deadline or a second signal must not come late because Redis hangs.
    private func superviseUntilStopped(
        _ signals: AsyncStream<ProcessSignals.Signal>, claiming: Task<Void, Never>, working: Task<Void, Never>
    ) async -> End {
        var end = End()
        let (events, happened) = AsyncStream.makeStream(of: ShutdownState.Event.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals {
                    log.info("worker.signalled", ["signal": .string("\(signal)")])
                    happened.yield(.signal)
                }
            }
            // Nobody waits for the end of these: one may just have asked a Redis that hangs, the other a share.
            let watching = Task {
                if options.drains { await watchForDryQueue { happened.yield(.queueRanDry) } }
            }
            let folders = Task { if await folderWatch.untilDisplaced() { happened.yield(.folderDisplaced) } }
            defer {
                watching.cancel()
                folders.cancel()
            }
            var state = ShutdownState()
            for await event in events {
                if event == .releaseTimedOut { end.isHung = true }
                if event == .folderDisplaced { end.status = .folderDisplaced }
                for action in state.handle(event) {
                    switch action {
                    case .stopClaiming:
                        health.isDraining.set()
                        notices?.tellStopping()
                        log.info("worker.draining", ["running": .integer(running.counts.running)])
                        await Failpoint.draining.reach()
                        group.addTask {
                            await stop(claiming)
                            // What came after everything was given back.
                            if giveBack.isSet { await release(running.takeUnsettled()) }
                            await running.untilAllSettled()
                            happened.yield(.lastJobSettled)
                        }
                    case .startDeadline:
                        group.addTask {
                            do { try await Task.sleep(for: options.drainTimeout) } catch { return }
                            happened.yield(.deadlinePassed)
                        }
                    case .releaseJobs:
                        await Failpoint.givingBack.reach()
                        giveBack.set()
                        let end = ContinuousClock.now + Self.releasePatience
                        // First, since whoever is cancelled can settle nothing: of a plain pop there is no copy.
                        let unsettled = running.takeUnsettled()
                        working.cancel()
                        group.addTask {
                            await release(unsettled)
                            // What was being settled already may still hang on a Redis that is away.
                            do { try await Task.sleep(until: end) } catch { return }
                            happened.yield(.releaseTimedOut)
                        }
                    case .leave:
                        claims.close()
                        happened.finish()
                    }
                }
            }
            group.cancelAll()
        }
        return end
    }

    private struct End {
        /// Redis did not answer when jobs were given back.
        var isHung = false
        var status = ExitStatus.done
    }

    /// Ends the claim loop. A claim asleep in Redis is woken until the loop has noticed: the wake-up may
    /// come just before it falls asleep. Where Redis hangs, the connection is given up: what it still moves into
    /// this worker's list is found there. Of a plain pop nothing would be, so that one is waited for.
    private func stop(_ claiming: Task<Void, Never>) async {
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

    /// Gives back jobs, without counting an attempt.
    private func release(_ unsettled: [(RunningJobs.Token, JobTicket)]) async {
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
    private func leave(within patience: Duration) async {
        await withDeadline(patience) {
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
        let counts = running.counts
        log.info(
            "worker.stopped",
            [
                "finished": .integer(counts.finished), "failed": .integer(counts.failed),
                "budget_bytes": .size(admission.total), "reserved_peak_bytes": .size(admission.peakReserved),
            ])
    }

    /// `--drain`: says so when nothing waits, runs or is delayed, here or on another worker.
    private func watchForDryQueue(_ report: () -> Void) async {
        var seen = 0
        while !Task.isCancelled {
            seen = await queueRanDry.next(after: seen)
            do {
                var isOthers = true
                while isOthers {
                    await running.untilAllSettled()
                    let audit = try await operators.audit()
                    if audit.waiting + audit.running + audit.delayed == 0 { return report() }
                    // What waits is for the claim loop, which says when it has taken the last.
                    isOthers = audit.waiting == 0
                    if isOthers { try await Task.sleep(for: Self.drainPace) }
                }
            } catch let error as QueueError {
                log.debug("drain.unknown", ["error": .text(of: error)])
            } catch {
                // Cancelled: told to stop by other means.
                return
            }
        }
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
