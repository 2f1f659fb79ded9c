/// What the queue promises, said a second time and without Redis: the state after each move, and its
/// answer. The scripts must agree with it in everything.
public struct QueueModel: Sendable {
    /// Small ones, so that short sequences meet them. Times in milliseconds, a multiple of no other: no
    /// comparison may hang on the millisecond in which a real server ran a script.
    public struct Limits: Sendable {
        public var lease = 2_200_000
        public var expiredWorkerLifetime = 3_000_000
        public var attempts = 3
        public var crashes = 2
        public var workersPerReclaim = 2
        public var jobsPerReclaim = 3
        public var jobsPerPromote = 2

        public init() {}
    }

    public let limits: Limits
    public internal(set) var state = QueueState()
    /// Popped by BRPOP and in nobody's list: known to no script.
    public internal(set) var popped: [ModelJob] = []
    var ledger = Ledger()

    public init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Makes a move; every move has an outcome, whatever the state is.
    public mutating func apply(_ move: Move) -> Outcome {
        switch move {
        case .push(let job):
            push([job])
            return .nothing
        case .enqueue(let jobs, let batch, let chunk, let longest):
            return enqueue(jobs, batch: batch, chunk: chunk, longest: longest)
        case .claim(let worker, let limit): return claim(worker, limit)
        case .blockingMove(let worker):
            guard state.leases[worker] != nil else { return .impossible }
            guard let raw = state.waiting.popLast() else { return .nothing }
            state.lists[worker, default: []].insert(raw, at: 0)
            return .moved(raw)
        case .pop:
            guard let raw = state.waiting.popLast() else { return .nothing }
            popped.append(ledger.job(raw))
            return .moved(raw)
        case .lookAtList(let worker): return lookAtList(of: worker)
        case .settle(let settling, let job, let worker):
            guard take(job, from: worker) else { return .stale }
            return settle(settling, job)
        case .settlePopped(let settling, let job):
            guard let place = popped.firstIndex(of: job) else { return .impossible }
            popped.remove(at: place)
            count("taken", 1)
            return settle(settling, job)
        case .renew(let worker): return renew(worker)
        case .reclaim: return reclaim()
        case .promote: return promote()
        case .deregister(let worker): return deregister(worker)
        case .pause: state.isPaused = true
        case .resume: state.isPaused = false
        case .audit: return audit()
        case .retryDead(let places): return retryDead(places)
        case .discardDead(let places):
            let (jobs, gone) = takeDead(places)
            count("dead_discarded", jobs.count)
            return .decided(done: jobs.count, gone: gone)
        case .deleteLease(let worker):
            guard state.leases[worker] != nil else { return .impossible }
            state.leases[worker] = nil
        case .sweep: return sweep()
        case .advance(let milliseconds):
            state.leases = state.leases.mapValues { $0 - milliseconds }
            for place in state.delayed.indices { state.delayed[place].due -= milliseconds }
        case .silence(let worker):
            guard state.leases[worker] != nil else { return .impossible }
            state.leases[worker] = -800_000
        }
        return .nothing
    }

    /// The job of bytes that were pushed.
    public func job(_ raw: [UInt8]) -> ModelJob { ledger.job(raw) }

    // MARK: enqueue and claim

    private mutating func push(_ jobs: [ModelJob]) {
        for job in jobs {
            state.waiting.insert(job.raw, at: 0)
            ledger.push(job)
        }
    }

    private mutating func enqueue(
        _ jobs: [ModelJob], batch: String, chunk: String, longest: Int?
    ) -> Outcome {
        let waiting = state.waiting.count
        if state.batches[batch]?["chunk:" + chunk] != nil { return .alreadyEnqueued(waiting: waiting) }
        if let longest, waiting + jobs.count > longest { return .full(waiting: waiting) }
        state.batches[batch, default: [:]]["chunk:" + chunk] = jobs.count
        state.batches[batch, default: [:]]["total", default: 0] += jobs.count
        push(jobs)
        return .enqueued(waiting: waiting + jobs.count)
    }

    private mutating func claim(_ worker: String, _ limit: Int) -> Outcome {
        if state.isPaused { return .paused }
        if state.waiting.isEmpty { return .empty }
        let lease = state.leases[worker, default: limits.lease]
        if lease < 0 { return .leaseLapsed }
        state.leases[worker] = lease
        countNewcomers(worker)
        var claimed: [Outcome.Claimed] = []
        while claimed.count < limit, let raw = state.waiting.last {
            let crashes = state.attempts[ledger.job(raw).id]?.crashed ?? 0
            // Who workers died under comes alone.
            if crashes > 0, !claimed.isEmpty { break }
            state.waiting.removeLast()
            state.lists[worker, default: []].insert(raw, at: 0)
            claimed.append(.init(raw: raw, crashes: crashes))
            if crashes > 0 { break }
        }
        countNewcomers(worker)
        return .claimed(claimed)
    }

    private mutating func lookAtList(of worker: String) -> Outcome {
        countNewcomers(worker)
        return .held((state.lists[worker] ?? []).reversed())
    }

    // MARK: settle

    /// The fence: false when the job is not in the worker's list any more.
    private mutating func take(_ job: ModelJob, from worker: String) -> Bool {
        countNewcomers(worker)
        guard let place = state.lists[worker]?.firstIndex(of: job.raw) else { return false }
        removeJobs(place..<place + 1, of: worker)
        return true
    }

    private mutating func settle(_ settling: Move.Settling, _ job: ModelJob) -> Outcome {
        let before = state.attempts[job.id] ?? .init()
        let attempt = before.failed + before.crashed + 1
        switch settling {
        case .finish:
            publish(job, attempt: attempt, code: nil)
            return .finished(attempt: attempt)
        case .bury:
            bury(job, attempt: attempt, code: Move.buriedCode)
            return .buried(attempt: attempt)
        case .retry(let pause):
            guard before.failed + 1 < limits.attempts else {
                bury(job, attempt: attempt, code: Move.retriedCode)
                return .buried(attempt: attempt)
            }
            state.attempts[job.id] = .init(failed: before.failed + 1, crashed: before.crashed)
            delay(job, side: "R", pause: pause)
            count("retried", 1)
            return .retried(attempt: attempt, pause: pause)
        case .release(let pause):
            if let pause {
                delay(job, side: "L", pause: pause)
            } else {
                state.waiting.append(job.raw)
            }
            count("released", 1)
            return .released
        }
    }

    private mutating func delay(_ job: ModelJob, side: String, pause: Int) {
        count("delayed_so_far", 1)
        let number = state.counters["delayed_so_far", default: 0]
        state.delayed.append(.init(member: Array("\(side)\(number):".utf8) + job.raw, due: pause))
        state.delayed.sort(by: QueueState.precedes)
    }

    mutating func bury(_ job: ModelJob, attempt: Int, code: String) {
        state.dead.append(.init(id: job.id, code: code, raw: job.raw, attempts: attempt))
        publish(job, attempt: attempt, code: code)
    }

    private mutating func publish(_ job: ModelJob, attempt: Int, code: String?) {
        state.attempts[job.id] = nil
        state.results.append(.init(id: job.id, batch: job.batch ?? "", attempt: attempt, code: code))
        count(code == nil ? "finished" : "buried", 1)
        if let batch = job.batch {
            state.batches[batch, default: [:]][code == nil ? "finished" : "failed", default: 0] += 1
            if let code { state.batches[batch, default: [:]]["error:" + code, default: 0] += 1 }
        }
        ledger.settle(job)
    }

    // MARK: operators

    /// Each job at one of these places leaves the dead list, as it stands before any of them does.
    private mutating func takeDead(_ places: [Int]) -> (jobs: [QueueState.Dead], gone: Int) {
        let present = places.filter(state.dead.indices.contains)
        let jobs = present.map { state.dead[$0] }
        for place in present.sorted(by: >) { state.dead.remove(at: place) }
        return (jobs, places.count - present.count)
    }

    private mutating func retryDead(_ places: [Int]) -> Outcome {
        let (jobs, gone) = takeDead(places)
        for dead in jobs {
            let job = ledger.job(dead.raw)
            state.waiting.insert(job.raw, at: 0)
            // The batch waits for it again.
            if let batch = job.batch {
                state.batches[batch, default: [:]]["failed", default: 0] -= 1
                state.batches[batch, default: [:]]["error:" + dead.code, default: 0] -= 1
            }
            ledger.reopen(job)
        }
        count("dead_retried", jobs.count)
        return .decided(done: jobs.count, gone: gone)
    }

    // MARK: counters

    mutating func count(_ name: String, _ amount: Int) {
        if amount != 0 { state.counters[name, default: 0] += amount }
    }

    /// Every script that meets a worker's list counts what came into it since the last one: a blocking move
    /// counts nothing.
    mutating func countNewcomers(_ worker: String) {
        let present = state.lists[worker]?.count ?? 0
        count("taken", max(0, present - state.counters["held:" + worker, default: 0]))
        state.counters["held:" + worker] = present == 0 ? nil : present
    }

    /// Takes jobs out of a worker's list, which has been counted.
    mutating func removeJobs(_ places: Range<Int>, of worker: String) {
        state.lists[worker]?.removeSubrange(places)
        if state.lists[worker]?.isEmpty == true { state.lists[worker] = nil }
        countNewcomers(worker)
    }
}
