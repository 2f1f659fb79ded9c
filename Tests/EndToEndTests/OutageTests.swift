import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Outages of every length, with workers that are busy and workers that sleep.
struct OutageTests {
    struct Outage: Sendable, CustomTestStringConvertible {
        let length: Duration
        let isBusy: Bool
        var testDescription: String { "\(length), \(isBusy ? "busy" : "idle")" }

        /// Twelve seconds are longer than a lease: it must be renewed before anything can be claimed.
        static let all = (LongTests.areOn ? [0.5, 3, 12, 30] : [0.5, 3, 12]).flatMap { seconds in
            [true, false].map { Outage(length: .seconds(seconds), isBusy: $0) }
        }
    }

    @Test(arguments: Outage.all)
    func `work goes on within two seconds after Redis is back, and each outage is told once`(outage: Outage)
        async throws
    {
        let fleet = try await TestFleet(appendOnly: true)
        let worker = try fleet.worker()
        let count = outage.isBusy ? 100 : 0
        for number in 0..<count {
            try await fleet.push(#"{"source":"a.jpg","pt":"300x300","scale":1,"id":"\#(number)"}"#)
        }
        if outage.isBusy { _ = try await fleet.results(10) } else { try await fleet.untilAsleep(worker) }
        await fleet.redis.kill()
        try await Task.sleep(for: outage.length)
        try await fleet.redis.start()
        let back = ContinuousClock.now
        let before = try await fleet.results(0).count
        try await fleet.push(TestFleet.job("after"))
        _ = try await fleet.results(before + 1)
        #expect(ContinuousClock.now - back < .seconds(2), "\(ContinuousClock.now - back)")
        let results = try await fleet.results(count + 1)
        #expect(Set(results.map(\.id)).count == count + 1 && results.count == count + 1)
        #expect(results.allSatisfy { $0.attempt == 1 }, "nobody died, so nothing was reclaimed")
        // The lease's connection may not have met an outage of half a second.
        try await fleet.untilRenewed(1, worker)
        await fleet.stop([worker])
        let log = worker.standardError
        #expect(log.ranges(of: "redis.outage_began").count == 1)
        #expect(log.ranges(of: "redis.outage_ended").count == 1)
        try await fleet.expectAllSettled()
    }

    @Test func `a Redis that reads its data for seconds is an outage, and served within two after`()
        async throws
    {
        // Half a millisecond a command, and a look at clients now and then.
        let fleet = try await TestFleet(
            appendOnly: true,
            configuration: ["--key-load-delay", "500", "--loading-process-events-interval-bytes", "1024"])
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        let fill = "for i = 1, 8000 do redis.call('SET', 'other' .. i, i) end"
        _ = try await fleet.client.call(RedisCommand("EVAL", fill, "0"))
        await fleet.redis.kill()
        let isBack = Task { try await fleet.redis.start() }
        let probe = fleet.redis.client("probe")
        try await eventually("Redis to load") { () async throws -> Void? in
            do throws(RedisError) { _ = try await probe.call(RedisCommand("PING")) } catch {
                if case .notServing(.loading, _) = error { return () }
            }
            return nil
        }
        try await isBack.value
        let back = ContinuousClock.now
        try await fleet.push(TestFleet.job("after"))
        #expect(try await fleet.results(1).first?.attempt == 1)
        #expect(ContinuousClock.now - back < .seconds(2), "\(ContinuousClock.now - back)")
        try await fleet.untilRenewed(1, worker)
        await fleet.stop([worker])
        let log = worker.standardError
        #expect(log.ranges(of: "redis.outage_began").count == 1)
        #expect(log.ranges(of: "redis.outage_ended").count == 1)
        try await fleet.expectAllSettled()
    }

    enum Absence: String, Sendable, CaseIterable { case killed, frozen }

    @Test(arguments: Absence.allCases)
    func `workers without Redis use less than a hundredth of a core and log two lines`(absence: Absence)
        async throws
    {
        let fleet = try await TestFleet(appendOnly: true)
        let workers = [try fleet.worker(), try fleet.worker(), try fleet.worker()]
        for worker in workers { try await fleet.untilAsleep(worker) }
        switch absence {
        case .killed: await fleet.redis.kill()
        case .frozen: fleet.redis.freeze()
        }
        let before = workers.map(\.processorTime)
        try await Task.sleep(for: .seconds(10))
        for (worker, before) in zip(workers, before) {
            let used = worker.processorTime - before
            #expect(used <= .milliseconds(100), "\(used) of ten seconds")
        }
        switch absence {
        case .killed: try await fleet.redis.start()
        case .frozen: fleet.redis.thaw()
        }
        for worker in workers {
            // Over when every connection is back, which is after the first renewal.
            try await eventually("the outage to be over") {
                worker.standardError.contains("redis.outage_ended") ? () : nil
            }
        }
        await fleet.stop(workers)
        for worker in workers {
            let lines = worker.standardError.split(separator: "\n").filter { $0.contains(#""redis."#) }
            #expect(lines.count == 2, "\(worker.standardError)")
        }
    }
}
