import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// The fence that a worker puts around itself. What it forbids, `SandboxTests.FenceTests` tries; here it must not
/// be in the way. All other tests of workers run behind it, too.
struct SandboxTests {
    @Test func `a worker says what its fence holds, and every thread of it is behind it`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        let event = try #require(Self.fenceEvent(of: worker), "\(worker.standardError)")
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker.pid)/task")
        #expect(threads.count > 5, "file, core, redis, lease, signals, and Swift's own")
        let holdsCalls = event.contains(#""calls""#)
        for thread in threads {
            // A thread that has ended meanwhile has no file.
            guard let bytes = Fixture.contents(of: "/proc/\(worker.pid)/task/\(thread)/status"),
                !bytes.isEmpty
            else { continue }
            let status = String(decoding: bytes, as: UTF8.self)
            #expect(status.contains("NoNewPrivs:\t1"), "thread \(thread)")
            #expect(status.contains("Seccomp:\t2") == holdsCalls, "thread \(thread)")
        }
        await fleet.stop([worker])
    }

    @Test func `behind its fence a worker finds Redis by name, also again after its connections broke`()
        async throws
    {
        let fleet = try await TestFleet()
        let proxy = try FaultProxy(before: fleet.redis.address, tcp: true)
        guard case .tcp(_, let port) = proxy.address.endpoint else {
            Issue.record("a proxy on TCP")
            return
        }
        let worker = try fleet.worker(redis: "redis://localhost:\(port)")
        for round in 1...3 {
            try await fleet.push(TestFleet.job("\(round)"))
            #expect(try await fleet.results(round).allSatisfy { $0.status == .done })
            proxy.cut()
        }
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    @Test func `behind its fence a worker still tells its memory, sweeps its folder and makes files durable`()
        async throws
    {
        let fleet = try await TestFleet()
        let stray = ".tmp-w0000000000000001-0123456789abcdef"
        try fleet.write([1], to: "../thumbs/deep/\(stray)")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)],
            ofItemAtPath: fleet.output + "/deep/\(stray)")
        let worker = try fleet.worker(["--fsync"])
        try await fleet.push(TestFleet.job("one", #","output":"new/folder/a.jpg""#))
        #expect(try await fleet.results(1)[0].status == .done)
        try await eventually("the stray file to be swept") {
            Fixture.contents(of: fleet.output + "/deep/\(stray)") == nil ? () : nil
        }
        let info = fleet.keys.info(of: try await fleet.id(of: worker))
        _ = try await eventually("the worker's resident size") {
            try await fleet.client.call(RedisCommand("HGET", info, "rss_bytes")).text.flatMap { Int($0) }
        }
        await fleet.stop([worker])
    }

    @Test func `on a kernel without Landlock a worker says what its fence lacks, and works`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(on: [BuiltProgram.path("OldKernel")])
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        let event = try #require(Self.fenceEvent(of: worker), "\(worker.standardError)")
        #expect(event.contains(#""level":"warning""#) && event.contains(#""landlock":0"#), "\(event)")
        let lacks = try #require(event.firstRange(of: #""lacks":["#).map { event[$0.upperBound...] })
        for part in ["files", "ports", "signals"] {
            #expect(lacks.prefix { $0 != "]" }.contains(part + ": "))
        }
        // The rest does not come from Landlock, and holds.
        #expect(event.contains(#""holds":["capabilities","calls"]"#), "\(event)")
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    @Test func `without a sandbox a worker keeps its rights and says nothing of a fence`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(["--sandbox", "off"])
        try await fleet.untilAsleep(worker)
        #expect(Self.fenceEvent(of: worker) == nil)
        let status = String(decoding: Fixture.contents(of: "/proc/\(worker.pid)/status") ?? [], as: UTF8.self)
        let own = String(decoding: Fixture.contents(of: "/proc/self/status") ?? [], as: UTF8.self)
        #expect(Self.line("Seccomp:", of: status) == Self.line("Seccomp:", of: own))
        #expect(Self.line("NoNewPrivs:", of: status) == Self.line("NoNewPrivs:", of: own))
        await fleet.stop([worker])
    }

    private static func fenceEvent(of worker: ChildProcess) -> Substring? {
        line(#""event":"worker.fenced""#, of: worker.standardError)
    }

    private static func line(_ part: String, of text: String) -> Substring? {
        text.split(separator: "\n").first { $0.contains(part) }
    }
}
