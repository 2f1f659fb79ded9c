import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Somebody pushes what is far too long for a job: it must cost a worker neither its memory nor the bytes.
struct TooLongTests {
    /// Read by a worker, they took five times as much of its memory.
    private static let bytes = 20_000_000
    /// Beyond its budget, by the contract.
    private static let beyond = 32 << 20

    enum Arrival: String, Sendable, CaseIterable {
        /// The blocking move has it in its answer.
        case whileTheWorkerSleeps
        /// The claim script meets it.
        case amongJobsThatWait
    }

    @Test(arguments: Arrival.allCases)
    func `megabytes in the queue are buried with every byte, and no worker ever holds them`(
        arrival: Arrival
    ) async throws {
        let fleet = try await TestFleet()
        if arrival == .amongJobsThatWait {
            try await fleet.push(TestFleet.job("before"))
            try await Self.pushTooLong(fleet)
        }
        let worker = try fleet.worker(["--memory-budget", "16MiB"])
        if arrival == .whileTheWorkerSleeps {
            try await fleet.untilAsleep(worker)
            try await fleet.push(TestFleet.job("before"))
            try await fleet.untilAsleep(worker)
            try await Self.pushTooLong(fleet)
        }
        try await fleet.push(TestFleet.job("after"))
        let results = try await fleet.results(3)
        #expect(results.filter { $0.status == .done }.map(\.id).sorted() == ["after", "before"])
        let failed = try #require(results.first { $0.status == .failed })
        #expect(failed.error?.code == .invalidJob && failed.attempt == 1)
        #expect(failed.error?.message == "expected at most 65536 bytes, found \(Self.bytes)")
        #expect(try await fleet.id(of: worker).description == failed.worker)
        // Looked at where it is: this test has no more room for it than a worker.
        let lengths = """
            local fields = redis.call('XRANGE', KEYS[1], '-', '+')[1][2]
            return {fields[4], #fields[6], string.find(fields[6], '[^x]') and 0 or 1}
            """
        let dead = try await Self.patient(fleet).call(RedisCommand("EVAL", lengths, "1", fleet.keys.dead))
        #expect(
            dead == .array([.bytes(Array("invalid_job".utf8)), .integer(Int64(Self.bytes)), .integer(1)]))
        #expect(worker.standardError.contains(failed.id), "every burial is told")
        #expect(worker.memory("VmHWM") <= (16 << 20) + Self.beyond, "\(worker.memory("VmHWM"))")
        #expect(!worker.standardError.contains("redis.outage"), "Redis was never away")
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    private static func pushTooLong(_ fleet: TestFleet) async throws {
        var command = RedisCommand("LPUSH", fleet.keys.queue)
        command.append([UInt8](repeating: UInt8(ascii: "x"), count: bytes))
        _ = try await patient(fleet).call(command)
    }

    /// So much data takes a while on a busy machine.
    private static func patient(_ fleet: TestFleet) -> RedisClient {
        var limits = RedisLimits()
        limits.call = .seconds(60)
        return fleet.redis.client("patient", limits: limits)
    }
}
