import Redis

/// Moves that keep a fleet going, whose jobs they are: jobs of dead workers, jobs that are due, lists that nobody
/// knows any more, and a worker's own coming and going.
extension WorkerQueue {
    public struct Reclaimed: Sendable, Equatable {
        public let requeued: Int
        public let buried: Int
        /// Expired workers that are now unknown.
        public let forgotten: Int
        /// There may be more to reclaim at once.
        public let isCut: Bool
        /// The buried ones.
        public internal(set) var lost: [Buried] = []
    }

    /// A job that is given up: workers kept dying under it.
    public struct Buried: Sendable, Equatable {
        public let id: String
        /// Nil when the job names none.
        public let source: String?
        public let attempts: Int
    }

    /// Takes back the jobs of workers whose lease is over.
    public func reclaim() async throws(QueueError) -> Reclaimed {
        let arguments = words([
            limits.workersPerReclaim, limits.jobsPerReclaim, limits.crashes,
            limits.expiredWorkerLifetime.milliseconds, limits.results, limits.batchLifetime.wholeSeconds,
            limits.dead, limits.infoLifetime.wholeSeconds,
        ])
        let reply = try await run(
            QueueScripts.reclaim, on: moves, arguments, mayBeReplayed: true, waits: false)
        let values = (reply.array ?? []).compactMap(\.integer)
        guard values.count == 4, let facts = reply.array?.last?.array, facts.count == 3 * values[1] else {
            throw .unexpectedAnswer(to: "reclaim", reply)
        }
        let lost = stride(from: 0, to: facts.count, by: 3).map { index in
            let source = facts[index + 1].text ?? ""
            return Buried(
                id: facts[index].text ?? "", source: source.isEmpty ? nil : source,
                attempts: facts[index + 2].integer ?? 0)
        }
        return Reclaimed(
            requeued: values[0], buried: values[1], forgotten: values[2], isCut: values[3] == 1, lost: lost)
    }

    /// Looks at some of Redis' keys for lists of workers that have no lease, and gives them one, so that they
    /// are reclaimed when it is over. Two commands. `cursor` is "0" at first, then what the last call returned.
    public func sweep(cursor: String) async throws(QueueError) -> (cursor: String, found: [String]) {
        let prefix = keys.workerPrefix
        let command = KeyScan.command(cursor: cursor, prefix: prefix, type: "list")
        var step = (cursor: "0", keys: [String]())
        do {
            let reply = try await moves.call(command)
            guard let answer = KeyScan.answer(reply) else {
                throw QueueError.unexpectedAnswer(to: "SCAN", reply)
            }
            step = answer
        } catch RedisError.forbidden {
            // An access list may forbid to walk over keys; workers that held counted jobs are found without.
        } catch let error as QueueError {
            throw error
        } catch let error as RedisError {
            throw .redis(error)
        } catch {
            preconditionFailure("only these two are thrown above: \(error)")
        }
        let workers = step.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        let arguments = words([limits.lease.milliseconds]) + words(workers)
        let reply = try await run(
            QueueScripts.sweep, on: moves, arguments, mayBeReplayed: true, waits: false)
        guard let found = reply.array else { throw .unexpectedAnswer(to: "sweep", reply) }
        return (step.cursor, found.compactMap(\.text))
    }

    /// Puts delayed jobs that are due back into the queue. `nextDue` is the time until another is.
    public func promote() async throws(QueueError) -> (promoted: Int, nextDue: Duration?) {
        let reply = try await run(
            QueueScripts.promote, on: moves, words([limits.jobsPerPromote]), mayBeReplayed: true, waits: false
        )
        let values = (reply.array ?? []).compactMap(\.integer)
        guard values.count == 2 else { throw .unexpectedAnswer(to: "promote", reply) }
        return (values[0], values[1] < 0 ? nil : .milliseconds(values[1]))
    }

    /// Leaves the fleet. False while jobs are in the worker's list: its lease must run on.
    public func deregister() async throws(QueueError) -> Bool {
        let reply = try await run(
            QueueScripts.deregister, on: moves, words([worker]), mayBeReplayed: true, waits: false)
        switch reply.array?.first?.text {
        case "left": return true
        case "holding": return false
        default: throw .unexpectedAnswer(to: "deregister", reply)
        }
    }

    /// Extends the lease; for tests and tools. The worker renews from a thread: see `LeaseRenewal`.
    public func renew(
        _ info: [(String, String)] = [], countsQueue: Bool = false
    ) async throws(QueueError) -> LeaseRenewal.Answer {
        let renewal = LeaseRenewal(keys, worker: worker, limits: limits)
        let reply = try await run(
            QueueScripts.renew, on: moves, renewal.arguments(info, countsQueue: countsQueue),
            mayBeReplayed: true, waits: false)
        return try renewal.answer(reply)
    }
}
