@testable import JobQueue
import Redis
import TestSupport
import Testing

/// Whatever moves are made in whatever order, no job is lost, doubled or published twice.
struct ConservationTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `jobs are conserved over random sequences of moves`(seed: UInt64) async throws {
        let fleet = try await Fleet()
        var generator = SplitMix(seed: seed)
        var pushed = 0
        var limits = QueueLimits()
        limits.expiredWorkerLifetime = .zero
        for step in 0..<250 {
            let worker = fleet.worker("w\(Int.random(in: 0..<3, using: &generator))", limits: limits)
            let held = try await worker.claimedHere()
            let ticket = held.randomElement(using: &generator).map { Job.read($0).ticket }
            switch (Int.random(in: 0..<15, using: &generator), ticket) {
            case (0...1, _):
                // One in three has the same bytes as others.
                let name = Int.random(in: 0..<3, using: &generator) == 0 ? "twin" : "j\(step)"
                try await fleet.push(job(name, batch: "b"))
                pushed += 1
            case (2, _):
                _ = try await worker.renew()
                _ = try await worker.claim(limit: Int.random(in: 1...4, using: &generator))
            case (3, _):
                // A blocking move, which runs no script.
                _ = try await worker.renew()
                _ = try await fleet.client.call(
                    RedisCommand("LMOVE", "q", "{q}:worker:\(worker.worker)", "RIGHT", "LEFT"))
            case (4...5, let ticket?): _ = try await worker.finish(ticket, done(ticket))
            case (6, let ticket?): _ = try await worker.bury(ticket, failed(ticket, .notAnImage))
            case (7, let ticket?):
                var backoff = Backoff()
                backoff.cap = .milliseconds(1)
                _ = try await worker.retry(ticket, failed(ticket), backoff: backoff, using: &generator)
            case (8, let ticket?):
                _ = try await worker.release(
                    ticket, after: Bool.random(using: &generator) ? .milliseconds(1) : nil)
            case (9, _): try await fleet.expire(worker)
            case (10, _): _ = try await worker.reclaim()
            case (11, _): _ = try await worker.promote()
            case (12, _):
                _ = try await fleet.operators.retryDead(try await someDead(fleet, using: &generator))
            case (13, _):
                _ = try await fleet.operators.discardDead(try await someDead(fleet, using: &generator))
            case (14, _):
                // Somebody deletes every lease.
                _ = try await fleet.client.call(RedisCommand("DEL", "{q}:workers"))
                _ = try await worker.sweep(cursor: "0")
            default: _ = try await worker.deregister()
            }
            let audit = try await fleet.operators.audit()
            #expect(audit.missing == 0, "seed \(seed), step \(step)")
            let settled = audit.counters["finished", default: 0] + audit.counters["buried", default: 0]
            #expect(
                audit.waiting + audit.running + audit.delayed + settled
                    == pushed + audit.counters["dead_retried", default: 0],
                "seed \(seed), step \(step)")
            #expect(audit.results == settled, "seed \(seed), step \(step)")
        }
        let progress = try await fleet.producer.progress(ofBatch: "b")
        let audit = try await fleet.operators.audit()
        #expect(progress.finished == audit.counters["finished", default: 0])
        // A retried job's failure no longer counts in its batch.
        let retried = audit.counters["dead_retried", default: 0]
        #expect(progress.failed == audit.counters["buried", default: 0] - retried)
        #expect(
            audit.dead == audit.counters["buried", default: 0] - retried
                - audit.counters["dead_discarded", default: 0])
        #expect(progress.errors.values.reduce(0, +) == progress.failed)
        try await expectOnlyKnownKeysStay(fleet)
    }

    /// Up to three dead jobs, or one that is none.
    private func someDead(_ fleet: Fleet, using generator: inout SplitMix) async throws -> [String] {
        var entries = ["1-1"]
        try await fleet.operators.forEachDead { job in
            entries.append(job.entry)
            return true
        }
        return Array(entries.shuffled(using: &generator).prefix(3))
    }

    /// Every key is one of the constant ones, a list that holds jobs, or expires.
    private func expectOnlyKnownKeysStay(_ fleet: Fleet) async throws {
        for (key, entry) in try await fleet.keySpace().entries {
            let holdsJobs = if case .list(let jobs) = entry.value { !jobs.isEmpty } else { false }
            #expect(fleet.keys.constant.contains(key) || holdsJobs || entry.expires, "\(key) stays for ever")
        }
    }
}
