import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Workers that die or freeze in the middle of a picture that takes seconds to decode.
struct CrashTests {
    @Test func `a job under which three workers died is buried, and its neighbours are done`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096), to: "slow.jpg")
        let suspect = #"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"suspect","batch":"b"}"#
        try await fleet.push(suspect)
        var victim = try fleet.worker()
        try await fleet.untilHolding(1, victim)
        for number in 0..<5 {
            try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"\#(number)","batch":"b"}"#)
        }
        for _ in 0..<2 {
            let heir = try fleet.worker()
            _ = try await fleet.id(of: heir)
            victim.send(9)
            #expect(await victim.wait() == .signal(9))
            let killed = ContinuousClock.now
            try await fleet.untilRunning("suspect", heir)
            #expect(ContinuousClock.now - killed < .seconds(15))
            victim = heir
        }
        let last = try fleet.worker()
        victim.send(9)
        #expect(await victim.wait() == .signal(9))
        let results = try await fleet.results(6)
        let failed = try #require(results.first { $0.id == "suspect" })
        #expect(failed.error?.code == .workerCrashed && failed.attempt == 3 && failed.batch == "b")
        #expect(failed.source == "slow.jpg" && failed.error?.detail["crashes"] == .integer(3))
        #expect(results.count { $0.status == .done } == 5)
        let dead = try await KeySpace(of: fleet.client).stream(fleet.keys.dead)
        #expect(dead.map { $0["job"] } == [suspect] && dead.first?["code"] == "worker_crashed")
        last.send(15)
        #expect(await last.wait() == .status(0))
        // A worker may have been killed while it wrote a neighbour's thumbnail.
        try await fleet.expectAllSettled(unfinished: nil)
    }

    @Test func `a frozen worker that comes back publishes nothing of what it lost, and goes on`() async throws
    {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 4096, bands: 10), to: "slow.jpg")
        try await fleet.push(#"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"lost"}"#)
        let frozen = try fleet.worker()
        try await fleet.untilHolding(1, frozen)
        frozen.send(19)
        let heir = try fleet.worker()
        let lost = try await fleet.results(1)[0]
        #expect(lost.status == .done && lost.attempt == 2)
        #expect(lost.worker == (try await fleet.id(of: heir).description))
        heir.send(15)
        #expect(await heir.wait() == .status(0))
        frozen.send(18)
        try await eventually("the thawed worker to see that the job is not its own") {
            frozen.standardError.contains("job.stale") ? () : nil
        }
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"next"}"#)
        let results = try await fleet.results(2)
        #expect(results.map(\.id) == ["lost", "next"])
        #expect(results[1].worker == (try await fleet.id(of: frozen).description))
        frozen.send(15)
        #expect(await frozen.wait() == .status(0))
        try await fleet.expectAllSettled()
    }

    @Test func `workers that are killed all the time lose nothing and publish nothing twice`() async throws {
        let fleet = try await TestFleet()
        let count = 600
        for number in 0..<count {
            try await fleet.push(#"{"source":"a.jpg","pt":"300x300","scale":1,"id":"\#(number)"}"#)
        }
        // Each life ends at another instant: after a few more results than the last.
        for life in 1...6 {
            let victim = try fleet.worker()
            _ = try await fleet.results(life * 10 + life * life)
            victim.send(9)
            #expect(await victim.wait() == .signal(9))
        }
        let heir = try fleet.worker(["--drain"])
        #expect(await heir.wait(atMost: .seconds(60)) == .status(0))
        let results = try await fleet.results(count)
        #expect(results.count == count && Set(results.map(\.id)).count == count)
        #expect(results.allSatisfy { $0.status == .done })
        try await fleet.expectConservation()
    }
}

extension TestFleet {
    /// Returns once the worker holds the job of that id.
    func untilRunning(_ job: String, _ worker: ChildProcess) async throws {
        let list = keys.list(of: try await id(of: worker))
        try await eventually("\(job) to run") {
            let held = try await self.client.callWhenUp(RedisCommand("LRANGE", list, "0", "-1")).array ?? []
            return held.contains { Job.read($0.bytes ?? []).ticket.id == job } ? () : nil
        }
    }
}
