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
    private let lease: LeaseKeeper
    private let running: RunningJobs
    private let admission: MemoryAdmission
    private let claimLoop: ClaimLoop
    private let sources: SourceRoots
    private let outputs: OutputDirectory
    private let folderWatch: FolderWatch
    private let certificateWatch: CertificateWatch
    private let files: BlockingThreads
    private let reaper: Reaper
    private let pauseWatch: PauseWatch
    private let departure: Departure
    private let health: WorkerHealth
    private let notices: ServiceNotices?
    private let giveBack = Flag()
    /// How it is, over HTTP.
    let pages: StatusPages
    private let dryQueue: DryQueueWatch

    /// How long the first answer of Redis may take: a container's Redis often starts beside its worker.
    static let startPatience = Duration.seconds(10)

    init(_ options: WorkerOptions, in surroundings: Surroundings, log: EventLog) {
        let id = surroundings.id
        let admission = MemoryAdmission(total: surroundings.budget, onChange: KeptBuffers.lend)
        var limits = QueueLimits()
        limits.lease = TestBuild.lease ?? limits.lease
        let quarantine = Quarantine(atStart: limits.lease / 2, afterOutage: limits.lease)
        let trouble = TroubleLog(log, advice: RedisAdvice(options))
        let metrics = JobMetrics()
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
        let claims = RedisClient(options.redis, name: name, limits: claimLimits, health: redis)
        let moves = RedisClient(options.redis, name: name, health: redis)
        queue = WorkerQueue(
            keys, worker: id, claims: claims, moves: moves, limits: limits,
            ownership: options.fetch == .claim ? .list : .none
        )
        operators = OperatorQueue(keys, client: moves)
        running = RunningJobs()
        dryQueue = DryQueueWatch(running: running, operators: operators, log: log)
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
            policy: FailurePolicy(
                sources: surroundings.sources.directories, output: surroundings.outputs.directory),
            queue: queue, running: running, metrics: metrics, log: log)
        health = WorkerHealth(progress: progress, redis: redis, lease: lease, running: running)
        claimLoop = ClaimLoop(
            queue: queue, admission: admission, cores: cores, writes: writes, lease: lease,
            running: running, settlement: settlement, log: log, trouble: trouble, facts: facts,
            progress: progress, ranDry: options.drains ? dryQueue.ranDry : nil)
        pauseWatch = PauseWatch(
            queue: queue, operators: operators, lease: lease, isAsleep: claimLoop.isAsleep, log: log)
        reaper = Reaper(queue: queue, lease: lease, quarantine: quarantine, metrics: metrics, log: log)
        departure = Departure(
            queue: queue, claims: claims, moves: moves, lease: lease, running: running, files: files,
            metrics: metrics, log: log)
        let page = MetricsPage(
            worker: id, queue: options.queue, jobs: metrics, running: running, admission: admission,
            lease: lease, redis: redis, health: health, process: surroundings.process)
        pages = StatusPages(metrics: page, health: health)
        self.notices = notices
        self.admission = admission
        (sources, outputs) = (surroundings.sources, surroundings.outputs)
        folderWatch = FolderWatch(sources: sources, outputs: outputs, files: files, log: log)
        certificateWatch = CertificateWatch(redis: options.redis, files: files, log: log)
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
                "sources": .list(sources.directories), "output": .string(outputs.directory),
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
            await departure.leave(fromHungRedis: end.isHung)
            let counts = running.counts
            log.info(
                "worker.stopped",
                [
                    "finished": .integer(counts.finished), "failed": .integer(counts.failed),
                    "budget_bytes": .size(admission.total),
                    "reserved_peak_bytes": .size(admission.peakReserved),
                ])
            return end.hasLostFolder ? .folderDisplaced : .done
        }
    }

    /// Turns what happens into events of `ShutdownState`, and performs its actions. No action waits for Redis: a
    /// deadline or a second signal must not come late because Redis hangs.
    private func superviseUntilStopped(
        _ signals: AsyncStream<ProcessSignals.Signal>, claiming: Task<Void, Never>, working: Task<Void, Never>
    ) async -> ShutdownState {
        let (events, happened) = AsyncStream.makeStream(of: ShutdownState.Event.self)
        var state = ShutdownState()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals {
                    log.info("worker.signalled", ["signal": .string("\(signal)")])
                    happened.yield(.signal)
                }
            }
            // Nobody waits for the end of these: one may just have asked a Redis that hangs, the others a share.
            let watching = Task {
                guard options.drains, await dryQueue.untilDry() else { return }
                happened.yield(.queueRanDry)
            }
            let folders = Task { if await folderWatch.untilDisplaced() { happened.yield(.folderDisplaced) } }
            let certificates = Task { await certificateWatch.run() }
            defer {
                watching.cancel()
                folders.cancel()
                certificates.cancel()
            }
            for await event in events {
                for action in state.handle(event) {
                    switch action {
                    case .stopClaiming:
                        health.isDraining.set()
                        notices?.tellStopping()
                        log.info("worker.draining", ["running": .integer(running.counts.running)])
                        await Failpoint.draining.reach()
                        group.addTask {
                            await departure.stop(claiming)
                            // What came after everything was given back.
                            if giveBack.isSet { await departure.release(running.takeUnsettled()) }
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
                        let end = ContinuousClock.now + Departure.releasePatience
                        // First, since whoever is cancelled can settle nothing: of a plain pop there is no copy.
                        let unsettled = running.takeUnsettled()
                        working.cancel()
                        group.addTask {
                            await departure.release(unsettled)
                            // What was being settled already may still hang on a Redis that is away.
                            do { try await Task.sleep(until: end) } catch { return }
                            happened.yield(.releaseTimedOut)
                        }
                    case .leave:
                        departure.giveUpClaims()
                        happened.finish()
                    }
                }
            }
            group.cancelAll()
        }
        return state
    }

}
