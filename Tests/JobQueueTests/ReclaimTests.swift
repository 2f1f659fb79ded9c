@testable import JobQueue
import Redis
import TestSupport
import Testing

struct ReclaimTests {
    @Test func `jobs of a dead worker go back to be served next, the oldest first`() async throws {
        let fleet = try await Fleet()
        for name in ["a", "b", "c"] { try await fleet.push(job(name)) }
        _ = try await fleet.worker("dead").claim(limit: 2)
        try await fleet.push(job("new"))
        try await fleet.expire(fleet.worker("dead"))
        let reclaimed = try await fleet.worker("w2").reclaim()
        #expect(reclaimed == .init(requeued: 2, buried: 0, forgotten: 0, isCut: false))
        let after = try await fleet.keySpace()
        #expect(after.list("q") == [job("new"), job("c"), job("b"), job("a")])
        #expect(after.hash("{q}:attempts") == ["a": "0 1", "b": "0 1"])
        #expect(after.hash("{q}:counters") == ["taken": "2", "reclaimed": "2"])
        #expect(after["{q}:worker:dead"] == nil)
        #expect(after.sortedSet("{q}:workers").keys.sorted() == ["dead"])
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `a live worker keeps its jobs`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("a"))
        _ = try await fleet.worker("alive").claim(limit: 1)
        let before = try await fleet.keySpace()
        let reclaimed = try await fleet.worker("w2").reclaim()
        #expect(reclaimed == .init(requeued: 0, buried: 0, forgotten: 0, isCut: false))
        #expect(try await fleet.keySpace() == before)
    }

    @Test func `a job under which three workers died is buried, with what is known of it`() async throws {
        let fleet = try await Fleet()
        let poison = #"{"id":"p\"/","batch":"b","source":"s\/1","pt":"1x1","scale":1}"#
        try await fleet.push(poison)
        for crash in 1...3 {
            let worker = fleet.worker("w\(crash)")
            let claimed = try await worker.claim(limit: 5)
            #expect(claimed == .jobs([.init(raw: Array(poison.utf8), crashes: crash - 1)]))
            try await fleet.expire(worker)
            let reclaimed = try await fleet.worker("reaper").reclaim()
            #expect((reclaimed.requeued, reclaimed.buried) == (crash < 3 ? (1, 0) : (0, 1)))
            #expect(reclaimed.lost == (crash < 3 ? [] : [.init(id: "p\"/", source: "s/1", attempts: 3)]))
        }
        let after = try await fleet.keySpace()
        #expect(after["q"] == nil && after["{q}:attempts"] == nil)
        #expect(
            after.hash("{q}:counters") == [
                "taken": "3", "reclaimed": "2", "buried": "1", "worker_crashed": "1",
            ])
        #expect(after.hash("{q}:batch:b") == ["failed": "1", "error:worker_crashed": "1"])
        let dead = try #require(after.stream("{q}:dead").first)
        #expect(dead["job"] == poison && dead["code"] == "worker_crashed" && dead["attempts"] == "3")
        let published = try #require(after.stream("{q}:results").first?["result"])
        let result = try JobResult(json: Array(published.utf8))
        #expect(result.id == "p\"/" && result.source == "s/1" && result.batch == "b" && result.worker == "w3")
        #expect(result.attempt == 3 && result.error?.code == .workerCrashed && result.status == .failed)
        #expect(result.error?.detail == ["crashes": .integer(3)] && result.finishedAt != nil)
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `three equal jobs in one dead worker have seen one death, not three`() async throws {
        let fleet = try await Fleet()
        for _ in 0..<3 { try await fleet.push(job("twin")) }
        _ = try await fleet.worker("dead").claim(limit: 3)
        try await fleet.expire(fleet.worker("dead"))
        let reclaimed = try await fleet.worker("w2").reclaim()
        #expect(reclaimed == .init(requeued: 3, buried: 0, forgotten: 0, isCut: false))
        #expect(try await fleet.keySpace().hash("{q}:attempts") == ["twin": "0 1"])
    }

    @Test func `a renewal tells of suspects from before they are reclaimed until they are settled`()
        async throws
    {
        let fleet = try await Fleet()
        let (raw, other) = (job("a"), fleet.worker("w2"))
        try await fleet.push(raw)
        _ = try await fleet.worker("late").claim(limit: 1)
        #expect(try await other.renew().mayHaveSuspects == false, "its lease is fresh")
        // A worker that renews in time never has less than 7.5 s of its ten left; 6 s is late.
        try await fleet.expire(fleet.worker("late"), secondsAgo: -8)
        #expect(try await other.renew().mayHaveSuspects == false)
        try await fleet.expire(fleet.worker("late"), secondsAgo: -5)
        #expect(try await other.renew().mayHaveSuspects)
        #expect(try await other.crashes(of: ticket(raw)) == 0)
        try await fleet.expire(fleet.worker("late"))
        #expect(try await other.reclaim().requeued == 1)
        #expect(try await other.renew().mayHaveSuspects, "it waits")
        #expect(try await other.crashes(of: ticket(raw)) == 1)
        _ = try await other.claim(limit: 1)
        _ = try await other.finish(ticket(raw), done(ticket(raw)))
        #expect(try await other.renew().mayHaveSuspects == false, "the late worker holds nothing any more")
        #expect(try await other.crashes(of: ticket(raw)) == 0)
    }

    @Test func `a job that only failed is no suspect`() async throws {
        let fleet = try await Fleet()
        let (raw, worker) = (job("a"), fleet.worker())
        try await fleet.push(raw)
        _ = try await worker.claim(limit: 1)
        var generator = SystemRandomNumberGenerator()
        _ = try await worker.retry(ticket(raw), failed(ticket(raw)), using: &generator)
        #expect(try await worker.renew().mayHaveSuspects == false)
        #expect(try await worker.crashes(of: ticket(raw)) == 0)
    }

    @Test func `a job that somebody died under is claimed alone`() async throws {
        let fleet = try await Fleet()
        for name in ["suspect", "x", "y"] { try await fleet.push(job(name)) }
        _ = try await fleet.worker("dead").claim(limit: 1)
        try await fleet.expire(fleet.worker("dead"))
        _ = try await fleet.worker("w2").reclaim()
        let first = try await fleet.worker("w2").claim(limit: 10)
        #expect(first == .jobs([.init(raw: Array(job("suspect").utf8), crashes: 1)]))
        let rest = try await fleet.worker("w2").claim(limit: 10)
        #expect(rest == .jobs(["x", "y"].map { .init(raw: Array(job($0).utf8), crashes: 0) }))
    }

    @Test func `failed and crashed attempts count apart and are published together`() async throws {
        let fleet = try await Fleet()
        let raw = job("i")
        var backoff = Backoff()
        backoff.cap = .zero
        var generator = SystemRandomNumberGenerator()
        try await fleet.push(raw)
        _ = try await fleet.worker("w1").claim(limit: 1)
        _ = try await fleet.worker("w1").retry(
            ticket(raw), failed(ticket(raw)), backoff: backoff, using: &generator)
        _ = try await fleet.worker("w1").promote()
        _ = try await fleet.worker("w1").claim(limit: 1)
        try await fleet.expire(fleet.worker("w1"))
        _ = try await fleet.worker("w2").reclaim()
        #expect(try await fleet.keySpace().hash("{q}:attempts") == ["i": "1 1"])
        _ = try await fleet.worker("w2").claim(limit: 1)
        #expect(try await fleet.worker("w2").finish(ticket(raw), done(ticket(raw))) == .finished(attempt: 3))
        #expect(try await fleet.keySpace()["{q}:attempts"] == nil)
    }

    @Test func `a worker that was only frozen hears what it lost`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("a"))
        let frozen = fleet.worker("frozen")
        _ = try await frozen.renew()
        _ = try await frozen.claim(limit: 1)
        try await fleet.expire(frozen)
        _ = try await fleet.worker("w2").reclaim()
        #expect(try await frozen.renew().jobsLost == 1)
        #expect(try await frozen.renew().jobsLost == 0)
    }

    @Test func `an expired worker stays known until a late delivery into its list is out of the question`()
        async throws
    {
        let fleet = try await Fleet()
        let dead = fleet.worker("dead")
        try await fleet.expire(dead, secondsAgo: 30)
        #expect(try await fleet.worker("w2").reclaim().forgotten == 0)
        // What the BLMOVE of a frozen client does when it is served late.
        _ = try await fleet.client.call(RedisCommand("LPUSH", "{q}:worker:dead", job("late")))
        #expect(try await fleet.worker("w2").reclaim().requeued == 1)
        try await fleet.expire(dead, secondsAgo: 61)
        #expect(try await fleet.worker("w2").reclaim().forgotten == 1)
        #expect(try await Set(fleet.keySpace().entries.keys) == ["q", "{q}:attempts", "{q}:counters"])
        #expect(try await fleet.operators.audit().missing == 0)
    }

    @Test func `a job is found behind hundreds of dead workers that held none`() async throws {
        let fleet = try await Fleet()
        try await fleet.push(job("a"))
        _ = try await fleet.worker("late").claim(limit: 1)
        for number in 0..<450 { try await fleet.expire(fleet.worker("empty\(number)"), secondsAgo: 30) }
        try await fleet.expire(fleet.worker("late"))
        let reaper = fleet.worker("w2")
        #expect(try await reaper.renew().mayHaveSuspects)
        let first = try await reaper.reclaim()
        #expect(first == .init(requeued: 1, buried: 0, forgotten: 0, isCut: false))
        let second = try await reaper.reclaim()
        #expect(
            second == .init(requeued: 0, buried: 0, forgotten: 0, isCut: false), "or it is called for ever")
    }

    @Test func `hundreds of dead workers are forgotten, ten a call`() async throws {
        let fleet = try await Fleet()
        for number in 0..<230 { try await fleet.expire(fleet.worker("w\(number)"), secondsAgo: 61) }
        var (calls, forgotten) = (0, 0)
        while true {
            let reclaimed = try await fleet.worker().reclaim()
            (calls, forgotten) = (calls + 1, forgotten + reclaimed.forgotten)
            if !reclaimed.isCut { break }
        }
        #expect(calls == 23 && forgotten == 230)
    }

    @Test func `eight reapers at once put a thousand jobs back exactly once, in order`() async throws {
        let fleet = try await Fleet()
        for start in stride(from: 0, to: 1000, by: 100) {
            for number in start..<start + 100 { try await fleet.push(job("\(number)")) }
            _ = try await fleet.worker("dead\(start)").claim(limit: 100)
            try await fleet.expire(fleet.worker("dead\(start)"))
        }
        var limits = QueueLimits()
        limits.jobsPerReclaim = 10
        let reapers = (0..<8).map { number in
            let client = fleet.redis.client()
            return WorkerQueue(
                fleet.keys, worker: WorkerID("r\(number)"), claims: client, moves: client, limits: limits)
        }
        // Each on a connection of its own, which is there before the race begins.
        for reaper in reapers { _ = try await reaper.renew() }
        let shares = try await withThrowingTaskGroup(of: Int.self) { group in
            for reaper in reapers {
                group.addTask {
                    var share = 0
                    while true {
                        let reclaimed = try await reaper.reclaim()
                        share += reclaimed.requeued
                        if !reclaimed.isCut { break }
                    }
                    return share
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(shares.reduce(0, +) == 1000)
        #expect(shares.count { $0 > 0 } > 1, "one reaper did all of it: no race was tested")
        let after = try await fleet.keySpace()
        let queued = after.list("q").compactMap { Int($0.dropFirst(7).prefix { $0 != "\"" }) }
        #expect(Set(queued).count == 1000 && queued.count == 1000)
        for start in stride(from: 0, to: 1000, by: 100) {
            let ofOneWorker = queued.filter { (start..<start + 100).contains($0) }
            #expect(ofOneWorker == (start..<start + 100).reversed(), "the oldest is the next")
        }
        #expect(after.hash("{q}:attempts").count == 1000)
        #expect(after.hash("{q}:attempts").values.allSatisfy { $0 == "0 1" })
        #expect(try await fleet.operators.audit().missing == 0)
    }
}
