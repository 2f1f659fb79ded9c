import FoundationEssentials
import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// A worker whose wall clock is wrong, and set while it works: only Redis' clock counts.
struct ClockTests {
    @Test(arguments: [3 * 3600, -3 * 3600])
    func `a clock that jumps by hours loses no lease, delays no retry and dates no result`(seconds: Int)
        async throws
    {
        let fleet = try await TestFleet()
        try fleet.write(SlowPicture.bytes(side: 2048), to: "slow.jpg")
        // Where a file stands, no output folder can be made.
        try fleet.write([], to: "../thumbs/blocked")
        let clock = fleet.folder.path + "/clock"
        try set(clock, 0)
        // What stands between the worker and its clock reads a file that no worker needs.
        let environment = [
            "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_CLOCK_FILE": clock,
            "THUMBNAIL_SANDBOX": "off",
        ]
        let worker = try fleet.worker(environment: environment)
        let other = try fleet.worker()
        for worker in [worker, other] { try await fleet.untilAsleep(worker) }
        try await fleet.push(
            #"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"slow"}"#,
            #"{"source":"a.jpg","pt":"30x30","scale":1,"id":"retried","output":"blocked/a.jpg"}"#)
        try await eventually("a retry, and the slow job to run") {
            let audit = try await fleet.operators.audit()
            return audit.counters["retried", default: 0] > 0 ? () : nil
        }
        try set(clock, seconds)
        try FileManager.default.removeItem(atPath: fleet.output + "/blocked")
        let jumped = ContinuousClock.now
        try await eventually("the retry, whose pause is at most a few seconds") {
            try await fleet.results(1).contains { $0.id == "retried" && $0.status == .done } ? () : nil
        }
        #expect(ContinuousClock.now - jumped < .seconds(20))
        // Longer than a lease, with work for a worker that believes itself in another hour, and back again.
        var count = 2
        for offset in [seconds, 0, seconds, 0] {
            try set(clock, offset)
            try await fleet.untilRenewed(1, worker)
            for number in 0..<4 { try await fleet.push(TestFleet.job("\(count)-\(number)")) }
            count += 4
            _ = try await fleet.results(count, within: .seconds(90))
            try await fleet.untilRenewed(1, worker)
        }
        let results = try await fleet.results(count)
        #expect(results.count == count && results.allSatisfy { $0.status == .done })
        #expect(results.filter { $0.id != "retried" }.allSatisfy { $0.attempt == 1 })
        #expect(try await fleet.operators.audit().counters["reclaimed"] == nil)
        let now =
            try await fleet.client.call(RedisCommand("TIME")).array?.first?.text.flatMap { Double($0) } ?? 0
        for result in results {
            let text = try #require(result.finishedAt)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let date = try Date(text, strategy: style)
            #expect(abs(date.timeIntervalSince1970 - now) < 120, "\(text)")
        }
        // Without this the test would prove nothing: the worker's own clock was off.
        let shifted = try await eventually("the worker to tell the wrong time") { () async throws -> Date? in
            try set(clock, seconds)
            let info = try await fleet.client.call(
                RedisCommand("HGET", fleet.keys.info(of: try await fleet.id(of: worker)), "seen_at"))
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            guard let text = info.text else { return nil }
            let date = try Date(text, strategy: style)
            return abs(date.timeIntervalSince1970 - now) > 3000 ? date : nil
        }
        #expect((shifted.timeIntervalSince1970 > now) == (seconds > 0))
        await fleet.stop([worker, other])
        try await fleet.expectAllSettled()
    }

    /// Sets the worker's clock: so many seconds off.
    private func set(_ clock: String, _ seconds: Int) throws {
        try Data("\(seconds)".utf8).write(to: URL(filePath: clock), options: .atomic)
    }
}
