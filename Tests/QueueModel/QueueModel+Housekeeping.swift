/// Moves that keep a fleet going: leases, jobs of dead workers, jobs that are due.
extension QueueModel {
    mutating func renew(_ worker: String) -> Outcome {
        state.leases[worker] = limits.lease
        let lost = state.lost[worker] ?? 0
        state.lost[worker] = 0
        // Live workers renew at three quarters of their lease: one that has less than 0.6 left is late.
        let late = state.leases.filter { Double($0.value) <= 0.6 * Double(limits.lease) }
        let lateOnesHoldJobs = late.keys.contains { state.lists[$0] != nil }
        return .renewed(
            isPaused: state.isPaused, expiredWorkers: state.leases.values.count { $0 < 0 }, nextDue: nextDue,
            jobsLost: lost,
            mayHaveSuspects: lateOnesHoldJobs || state.attempts.values.contains { $0.crashed > 0 })
    }

    mutating func reclaim() -> Outcome {
        let expired = state.leases.filter { $0.value < 0 }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        var (workers, jobs) = (0, 0)
        var (requeued, buried, forgotten, isCut) = (0, 0, 0, false)
        for (worker, leaseEnd) in expired {
            let held = state.lists[worker] ?? []
            let isForgettable = leaseEnd + limits.expiredWorkerLifetime < 0
            guard !held.isEmpty || isForgettable else { continue }
            guard workers < limits.workersPerReclaim, jobs < limits.jobsPerReclaim else {
                isCut = true
                break
            }
            let moved = held.prefix(limits.jobsPerReclaim - jobs)
            (workers, jobs) = (workers + 1, jobs + moved.count)
            if moved.count < held.count { isCut = true }
            countNewcomers(worker)
            removeJobs(0..<moved.count, of: worker)
            if !moved.isEmpty { state.lost[worker, default: 0] += moved.count }
            if isForgettable, moved.count == held.count {
                (state.leases[worker], state.lost[worker]) = (nil, nil)
                forgotten += 1
            }
            // One worker's death counts once for a name, however many jobs of it were held.
            var counted: Set<String> = []
            for raw in moved {
                let job = ledger.job(raw)
                var attempts = state.attempts[job.id] ?? .init()
                if counted.insert(job.id).inserted { attempts.crashed += 1 }
                if attempts.crashed < limits.crashes {
                    state.attempts[job.id] = attempts
                    state.waiting.append(raw)
                    requeued += 1
                } else {
                    bury(job, attempt: attempts.failed + attempts.crashed, code: "worker_crashed")
                    count("worker_crashed", 1)
                    counted.remove(job.id)
                    buried += 1
                }
            }
        }
        count("reclaimed", requeued)
        return .reclaimed(requeued: requeued, buried: buried, forgotten: forgotten, isCut: isCut)
    }

    mutating func promote() -> Outcome {
        let due = state.delayed.prefix { $0.due <= 0 }.prefix(limits.jobsPerPromote)
        state.delayed.removeFirst(due.count)
        count("promoted", due.count)
        // The longest due is pushed last, so that of those for the right end it is served first.
        for delayed in due.reversed() {
            let raw = Array(delayed.member.drop { $0 != UInt8(ascii: ":") }.dropFirst())
            if delayed.member.first == UInt8(ascii: "L") {
                state.waiting.insert(raw, at: 0)
            } else {
                state.waiting.append(raw)
            }
        }
        return .promoted(due.count, nextDue: nextDue)
    }

    mutating func deregister(_ worker: String) -> Outcome {
        countNewcomers(worker)
        guard state.lists[worker] == nil else { return .left(false) }
        (state.leases[worker], state.lost[worker]) = (nil, nil)
        return .left(true)
    }

    func audit() -> Outcome {
        let lists = state.lists.filter { isKnown($0.key) }
        let newcomers = lists.reduce(0) { sum, list in
            sum + max(0, list.value.count - state.counters["held:" + list.key, default: 0])
        }
        let running = lists.values.reduce(0) { $0 + $1.count }
        let taken = state.counters["taken", default: 0] + newcomers
        let accounted = ["finished", "buried", "retried", "reclaimed", "released"].reduce(running) {
            $0 + state.counters[$1, default: 0]
        }
        return .audited(
            waiting: state.waiting.count, delayed: state.delayed.count, running: running, taken: taken,
            missing: taken - accounted + missingDelayed)
    }

    /// Delayed by a counted move, and neither promoted nor still delayed.
    private var missingDelayed: Int {
        state.counters["delayed_so_far", default: 0] - state.counters["promoted", default: 0]
            - state.delayed.count
    }

    /// A worker is found by its lease, or by the jobs in its list that have been counted.
    func isKnown(_ worker: String) -> Bool {
        state.leases[worker] != nil || state.counters["held:" + worker] != nil
    }

    /// Each list without a lease gets one, as if its worker had just renewed it.
    mutating func sweep() -> Outcome {
        let found = state.lists.keys.filter { state.leases[$0] == nil }.sorted()
        for worker in found { state.leases[worker] = limits.lease }
        return .swept(found)
    }

    private var nextDue: Int? { state.delayed.first.map { max(0, $0.due) } }
}
