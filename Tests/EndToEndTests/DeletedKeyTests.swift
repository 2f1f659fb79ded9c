import FoundationEssentials
import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Somebody deletes a key of the queue while a fleet works.
struct DeletedKeyTests {
    enum Key: String, Sendable, CaseIterable {
        case queue, list, info, attempts, counters, delayed, dead, results, paused, batch
    }

    @Test(arguments: Key.allCases)
    func `a deleted key costs at most what was in it, and the fleet goes on`(deleted: Key) async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 1024, bands: 12), to: "slow.jpg")
        // Where a file stands, no output folder can be made: these are retried until it is gone.
        try fleet.write([], to: "../thumbs/blocked")
        let workers = [try fleet.worker(), try fleet.worker()]
        for worker in workers { try await fleet.untilAsleep(worker) }
        let ids = (0..<60).map { "\($0)" }
        for id in ids {
            switch (Int(id) ?? 0) % 6 {
            case 0:
                try await fleet.push(
                    #"{"source":"missing.jpg","pt":"9x9","scale":1,"batch":"b","id":"\#(id)"}"#)
            case 1: try await fleet.push(TestFleet.job(id, #","output":"blocked/\#(id).jpg","batch":"b""#))
            default:
                try await fleet.push(#"{"source":"slow.jpg","pt":"9x9","scale":1,"batch":"b","id":"\#(id)"}"#)
            }
        }
        try await eventually("work in every place") {
            let audit = try await fleet.operators.audit()
            return audit.counters["retried", default: 0] > 0 && audit.counters["finished", default: 0] > 0
                && audit.dead > 0 && audit.running > 0 ? () : nil
        }
        let holder = try await fleet.id(of: workers[0])
        let key =
            switch deleted {
            case .queue: fleet.keys.queue
            case .list: fleet.keys.list(of: holder)
            case .info: fleet.keys.info(of: holder)
            case .attempts: fleet.keys.attempts
            case .counters: fleet.keys.counters
            case .delayed: fleet.keys.delayed
            case .dead: fleet.keys.dead
            case .results: fleet.keys.results
            case .paused: fleet.keys.paused
            case .batch: fleet.keys.batch("b")
            }
        let (lost, counted) = try await take(key, of: deleted, heldBy: holder, in: fleet)
        try FileManager.default.removeItem(atPath: fleet.output + "/blocked")
        for number in 0..<6 { try await fleet.push(TestFleet.job("after\(number)")) }
        try await fleet.untilSettled()

        #expect(workers.allSatisfy { $0.isRunning })
        let audit = try await fleet.operators.audit()
        let published = try await fleet.results(0).map(\.id)
        #expect(Set(published).count == published.count, "each at most once")
        let expected = Set(ids).union((0..<6).map { "after\($0)" }).subtracting(lost)
        if deleted != .results {
            #expect(Set(published).isSuperset(of: expected), "\(expected.subtracting(published))")
        } else {
            #expect(published.filter { $0.hasPrefix("after") }.count == 6)
        }
        switch deleted {
        // What a blocking move took and no script has seen, only Redis knew.
        case .list: #expect(audit.missing == counted, "\(audit)")
        case .delayed: #expect(audit.missing == lost.count, "\(audit)")
        // Those that were delayed then come back, and nobody remembers that they went.
        case .counters: #expect(audit.missing <= 0, "\(audit)")
        // Of jobs that waited only Redis knew.
        default: #expect(audit.missing == 0, "\(audit)")
        }
        await fleet.stop(workers)
        for worker in workers { #expect(!worker.standardError.contains(#""level":"error""#)) }
    }

    /// Deletes a key, and says the ids of the jobs that were in it, if it held jobs, and how many jobs of the
    /// worker the scripts have counted.
    private func take(
        _ key: String, of kind: Key, heldBy worker: WorkerID, in fleet: TestFleet
    ) async throws -> (lost: Set<String>, counted: Int) {
        let command =
            switch kind {
            case .queue, .list: RedisCommand("LRANGE", key, "0", "-1")
            case .delayed: RedisCommand("ZRANGE", key, "0", "-1")
            default: RedisCommand("EXISTS", key)
            }
        let replies = try await fleet.client.pipeline([
            RedisCommand("MULTI"), command, RedisCommand("HGET", fleet.keys.counters, "held:\(worker)"),
            RedisCommand("DEL", key), RedisCommand("EXEC"),
        ])
        let answers = replies.last?.array ?? []
        let members = (answers.first?.array ?? []).compactMap(\.bytes)
        // Delayed jobs have a number in front.
        let ids = members.map { Job.read(Array($0.drop { $0 != UInt8(ascii: "{") })).ticket.id }
        return (Set(ids), answers.dropFirst().first?.text.flatMap { Int($0) } ?? 0)
    }
}
