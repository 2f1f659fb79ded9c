import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// A worker with little memory for jobs.
struct BudgetTests {
    @Test func `jobs that fit by twos all finish, and no more is reserved than there is`() async throws {
        let fleet = try await TestFleet()
        // 2 MiB of coefficients each, for long enough that renewals see them run.
        try fleet.write(SlowPicture.bytes(side: 1024), to: "slow.jpg")
        try fleet.write(SlowPicture.bytes(side: 4096, bands: 1), to: "large.jpg")
        let count = 200
        for number in 0..<count {
            try await fleet.push(#"{"source":"slow.jpg","pt":"90x90","scale":1,"id":"\#(number)"}"#)
        }
        try await fleet.push(#"{"source":"large.jpg","pt":"90x90","scale":1,"id":"large"}"#)
        let budget = 8 << 20
        let worker = try fleet.worker(["--memory-budget", "8MiB"])
        let id = try await fleet.id(of: worker)
        var seen: [String: Int] = [:]
        try await eventually("all results") {
            let info = try await KeySpace(of: fleet.client).hash(fleet.keys.info(of: id))
            if let time = info["seen_at"], let reserved = Int(info["reserved_bytes"] ?? "") {
                #expect(info["budget_bytes"] == "\(budget)")
                seen[time] = reserved
            }
            return try await fleet.client.call(RedisCommand("XLEN", fleet.keys.results)).integer == count + 1
                ? () : nil
        }
        #expect(seen.values.allSatisfy { $0 <= budget } && seen.values.contains { $0 > 2 << 20 }, "\(seen)")
        let results = try await fleet.results(count + 1)
        #expect(results.count { $0.status == .done } == count)
        let footprints = Set(results.compactMap(\.footprintBytes))
        #expect(footprints.count == 1 && footprints.allSatisfy { (2 << 20...4 << 20).contains($0) })
        let refused = try #require(results.first { $0.id == "large" }?.error)
        #expect(refused.code == .memoryBudgetExceeded && refused.detail["budget_bytes"] == .integer(budget))
        guard case .integer(let required)? = refused.detail["required_bytes"] else {
            Issue.record("no required_bytes: \(refused)")
            return
        }
        #expect((32 << 20...64 << 20).contains(required))
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectAllSettled()
    }

    /// A suspect waits until nobody else runs, and one of those needs every byte that there is.
    @Test func `a job that takes the whole budget runs also while a suspect waits for it`() async throws {
        let fleet = try await TestFleet()
        try fleet.write(FlatPicture.bytes(side: 9600), to: "flat.jpg")
        func large(_ id: String) -> String {
            #"{"source":"flat.jpg","pt":"1000x1000","scale":1,"id":"\#(id)"}"#
        }
        try await fleet.push(large("first"))
        let measuring = try fleet.worker(["--drain", "--memory-budget", "64MiB"])
        #expect(await measuring.wait() == .status(0))
        let footprint = try #require(try await fleet.results(1)[0].footprintBytes)
        // A worker has died under it: no failed attempt, one crash.
        _ = try await fleet.client.call(RedisCommand("HSET", fleet.keys.attempts, "suspect", "0 1"))
        try await fleet.push(large("whole"), TestFleet.job("suspect"))
        // Each read takes long enough that the suspect is claimed before the other job asks for its memory.
        let worker = try fleet.worker(
            ["--memory-budget", "\(footprint)"],
            environment: [
                "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_READ_DELAY_MS": "500",
            ])
        let results = try await fleet.results(3)
        #expect(results.map(\.id) == ["first", "whole", "suspect"])
        #expect(results.allSatisfy { $0.status == .done })
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    /// The claim loop has the memory of a job's header in its hand when it goes to sleep or the queue is paused.
    @Test(arguments: [false, true])
    func `a job that takes the whole budget runs also while the worker sleeps in Redis, or is paused`(
        isPaused: Bool
    ) async throws {
        let fleet = try await TestFleet()
        try fleet.write(FlatPicture.bytes(side: 9600), to: "flat.jpg")
        let job = #"{"source":"flat.jpg","pt":"1000x1000","scale":1}"#
        try await fleet.push(job)
        let measuring = try fleet.worker(["--drain", "--memory-budget", "64MiB"])
        #expect(await measuring.wait() == .status(0))
        let footprint = try #require(try await fleet.results(1)[0].footprintBytes)
        let worker = try fleet.worker(
            ["--memory-budget", "\(footprint)"],
            environment: [
                "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_READ_DELAY_MS": "1000",
            ])
        try await fleet.untilAsleep(worker)
        try await fleet.push(job)
        try await fleet.untilHolding(1, worker)
        if isPaused {
            try await fleet.operators.pause(because: "a test")
        } else {
            try await fleet.untilAsleep(worker)
        }
        let result = try await fleet.results(2)[1]
        #expect(result.status == .done)
        // Reading takes three seconds; a sleep in Redis five.
        #expect(try #require(result.timings).wait < 1500)
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    @Test func `a picture whose scaled planes do not fit is streamed instead of refused`() async throws {
        let fleet = try await TestFleet()
        // At 1/4 its plane takes 5.5 MiB; the rest of a job takes less than the 8 that there are.
        try fleet.write(FlatPicture.bytes(side: 9600), to: "flat.jpg")
        for (id, budget) in [("whole", "64MiB"), ("streamed", "8MiB")] {
            try await fleet.push(#"{"source":"flat.jpg","pt":"1000x1000","scale":1,"id":"\#(id)"}"#)
            let worker = try fleet.worker(["--drain", "--memory-budget", budget])
            #expect(await worker.wait() == .status(0))
        }
        let results = try await fleet.results(2)
        #expect(results.map(\.status) == [.done, .done])
        let footprints = results.compactMap(\.footprintBytes)
        #expect(footprints.count == 2 && footprints[0] > 8 << 20 && footprints[1] <= 8 << 20, "\(footprints)")
        try await fleet.expectAllSettled()
    }

    /// Ten or more fit side by side as they are planned, one at a time as libjpeg decodes them.
    @Test
    func `jobs whose data takes more memory than planned are admitted again, and refused if it is too much`()
        async throws
    {
        let fleet = try await TestFleet()
        // A DNL segment at the end, which repeats the height: legal, rare, and left to libjpeg.
        func odd(_ side: Int) -> [UInt8] {
            let whole = SlowPicture.bytes(side: side, bands: 1, isScalable: true)
            return whole.dropLast(2) + [0xFF, 0xDC, 0, 4, UInt8(side >> 8), UInt8(side & 255)]
                + whole.suffix(2)
        }
        try fleet.write(odd(1024), to: "odd.jpg")
        try fleet.write(odd(2048), to: "large.jpg")
        let count = 30
        for number in 0..<count {
            try await fleet.push(#"{"source":"odd.jpg","pt":"60x60","scale":1,"id":"\#(number)"}"#)
        }
        try await fleet.push(#"{"source":"large.jpg","pt":"60x60","scale":1,"id":"large"}"#)
        let worker = try fleet.worker(["--drain", "--memory-budget", "4MiB"])
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(count + 1)
        let done = results.filter { $0.status == .done }
        #expect(done.count == count)
        // What they were admitted with in the end: two bytes a pixel.
        #expect(done.allSatisfy { (2 << 20...3 << 20).contains($0.footprintBytes ?? 0) })
        #expect(done.allSatisfy { $0.notes == [] && $0.attempt == 1 })
        let refused = try #require(results.first { $0.id == "large" }?.error)
        #expect(refused.code == .memoryBudgetExceeded && refused.detail["budget_bytes"] == .integer(4 << 20))
        guard case .integer(let required)? = refused.detail["required_bytes"] else {
            Issue.record("no required_bytes: \(refused)")
            return
        }
        #expect((8 << 20...9 << 20).contains(required))
        try await fleet.expectAllSettled()
    }
}
