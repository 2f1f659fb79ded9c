import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Fleet

/// `fleet status` and `fleet top`: what they tell, and when they call a fleet unhealthy.
struct StatusTests {
    @Test func `a fleet that works is healthy`() async throws {
        let desk = try await TestDesk(configuration: ["--maxmemory", "100mb"])
        try await desk.settle("a")
        try await desk.settle("b", .truncatedImage)
        try await desk.push(job("c"))
        let ran = try await desk.run("status")
        #expect(ran.exit == .status(0), "\(ran)")
        #expect(
            ran.lines[0].hasPrefix("thumbnails at \(desk.url), 2") && ran.lines[0].hasSuffix("Z: healthy"))
        func line(_ name: String) -> Substring { ran.lines.first { $0.hasPrefix("  " + name) } ?? "" }
        #expect(line("waiting").contains("1  a pushed job carries no time"))
        #expect(line("failed").hasSuffix("1 in the last 5 m: 1 truncated_image"))
        #expect(line("redis").contains("of 100 MiB") && line("redis").hasSuffix("noeviction"))
        #expect(line("on disk").contains("nothing  jobs live only in Redis' memory"))
        #expect(line("missing").hasSuffix("none  of 2 jobs ever taken"))
        let worker = try #require(ran.lines.last).split(separator: " ").joined(separator: " ")
        #expect(
            worker.hasPrefix("w1 box 42 0 ") && worker.hasSuffix("2 MiB 1 MiB 512 MiB 1 GiB 1 0 0.1.0"),
            "\(worker)")
    }

    @Test func `the JSON has every member, and numbers are numbers`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a", .timedOut)
        let ran = try await desk.run("status", "--json")
        #expect(ran.exit == .status(0) && ran.lines.count == 1)
        struct Shape: Decodable {
            struct Worker: Decodable {
                let id: String, alive: Bool, host: String, pid: Int, version: String, jobs: Int, running: Int
                let reserved_bytes: Int, reserved_peak_bytes: Int, budget_bytes: Int, rss_bytes: Int
                let lease_left_seconds: Double
                let seen_seconds_ago: Double, last_claim_seconds: Double, finished: Int, failed: Int
            }
            struct Recent: Decodable {
                let window_seconds: Double, finished: Int, failed: Int, failures: [String: Int]
            }
            struct Memory: Decodable {
                let used_memory_bytes: Int, maxmemory_bytes: Int, maxmemory_policy: String
                let uptime_seconds: Double, append_only: Bool, snapshots: Bool, last_write_ok: Bool
            }
            struct Problem: Decodable { let code: String, message: String }
            let queue: String, at: String, healthy: Bool, problems: [Problem], waiting: Int, delayed: Int
            let retrying: Int, newer_version: Int, running: Int, dead: Int, results: Int, paused: Bool,
                taken: Int, missing: Int
            let finished_per_second: Double, failed_per_second: Double
            let recent: Recent, redis: Memory, workers: [Worker]
        }
        let shape = try JSONDecoder().decode(Shape.self, from: Data(ran.output.utf8))
        #expect(shape.healthy && shape.dead == 1 && shape.results == 1 && shape.taken == 1)
        #expect(shape.recent.failures == ["timed_out": 1] && shape.recent.window_seconds == 300)
        #expect(shape.workers.first?.last_claim_seconds ?? 0 >= 5)
        #expect(shape.workers.first?.reserved_peak_bytes == 536_870_912)
        #expect(!shape.redis.append_only && !shape.redis.snapshots && shape.redis.last_write_ok)
        for member in ["oldest_waiting_at_least_seconds", "next_due_seconds", "pause_reason"] {
            #expect(ran.output.contains(#""\#(member)":null"#))
        }
    }

    /// Makes a desk unhealthy in one way.
    private func spoil(_ desk: TestDesk, _ code: Problem.Code) async throws {
        switch code {
        case .noWorker: _ = try await desk.redis("DEL", desk.keys.workers)
        case .paused: try await desk.operators.pause(because: "the disk moves")
        case .expiredWorker:
            let dead = WorkerQueue(
                desk.keys, worker: WorkerID("gone"), claims: desk.client, moves: desk.client)
            _ = try await dead.claim(limit: 1)
            try await desk.expire("gone", secondsAgo: 30)
        case .lostList:
            let lost = WorkerQueue(
                desk.keys, worker: WorkerID("lost"), claims: desk.client, moves: desk.client)
            _ = try await lost.claim(limit: 1)
            _ = try await desk.redis("ZREM", desk.keys.workers, "lost")
        case .stalled:
            _ = try await desk.operators.status()
            let past = try await desk.operators.now() - 61_000
            _ = try await desk.redis("HSET", desk.keys.watch, "since", "\(past)")
        case .redisMemory:
            let used = try #require(try await desk.operators.status().memory?.usedBytes)
            _ = try await desk.redis("CONFIG", "SET", "maxmemory", "\(used * 105 / 100)")
        case .eviction: _ = try await desk.redis("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        case .dataLost:
            _ = try await desk.worker.renew([("host", "box"), ("pid", "42"), ("finished", "150")])
        case .tooFewWorkers: break
        case .failing:
            for id in ["f1", "f2", "f3"] { try await desk.fail(id, .outputUnwritable) }
        case .newerVersion:
            let raw = #"{"id":"n","v":7,"source":"n.jpg","pt":"1x1","scale":1}"#
            try await desk.pushNext(raw)
            _ = try await desk.worker.claim(limit: 1)
            _ = try await desk.worker.release(Job.read(Array(raw.utf8)).ticket, after: .seconds(30))
        case .missingJobs: _ = try await desk.redis("HINCRBY", desk.keys.counters, "taken", "3")
        }
    }

    @Test(arguments: Problem.Code.allCases)
    func `what is wrong is said in one line, and the check fails`(code: Problem.Code) async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        for id in ["b", "c"] { try await desk.push(job(id)) }
        #expect(try await desk.run("status").exit == .status(0))
        try await spoil(desk, code)
        let options = code == .tooFewWorkers ? ["--min-workers", "2"] : []
        let ran = try await desk.run(["status"] + options)
        #expect(ran.exit == .status(1) && ran.lines[0].hasSuffix(": 1 problem"), "\(ran)")
        #expect(ran.lines.count { $0.hasPrefix("  ! ") } == 1)
        let json = try await desk.run(["status", "--json"] + options).output
        #expect(json.contains(#""healthy":false,"problems":[{"code":"\#(code.rawValue)""#), "\(json)")
    }

    @Test func `what fails for no picture's sake is told with its code, machine and next command`()
        async throws
    {
        let desk = try await TestDesk()
        for id in ["a", "b", "c"] { try await desk.settle(id, .outputUnwritable) }
        for id in ["d", "e", "f"] { try await desk.settle(id, .truncatedImage) }
        let ran = try await desk.run("status")
        #expect(
            ran.output.contains(
                "! 3 of 6 jobs of the last 5 m failed, and not for their pictures: 3 output_unwritable; "
                    + "last by w1 on host box, pid 42; the operator's fault, most likely: "), "\(ran)")
        #expect(ran.output.contains(": fleet dead --code output_unwritable --redis \(desk.url)\n"))
        #expect(try await desk.run("status", "--max-failed", "51").exit == .status(0))
    }

    @Test func `jobs that are tried again and again are no health`() async throws {
        let desk = try await TestDesk()
        for id in ["a", "b", "c"] { try await desk.fail(id, .sourceUnreadable) }
        let ran = try await desk.run("status")
        #expect(
            ran.exit == .status(1)
                && ran.output.contains(
                    "! 3 jobs failed and are tried again; the last one for source_unreadable; last by w1 on host "
                        + "box, pid 42; "),
            "\(ran)")
    }

    @Test func `a dead worker's machine is named as long as its jobs are`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        try await desk.push(job("b"))
        _ = try await desk.worker.claim(limit: 1)
        // The info may not end before the row does, a minute after the lease and later.
        let left = try #require(try await desk.redis("TTL", "{thumbnails}:worker:w1:info").integer)
        #expect(left > 86_400)
        try await desk.expire("w1", secondsAgo: 600)
        let ran = try await desk.run("status")
        #expect(ran.output.contains("! 1 job held by w1 on host box, pid 42, dead for 10 m"), "\(ran)")
        #expect(ran.output.contains("only a live worker takes them back, start one"))
        #expect(ran.output.contains("DEAD 10 m"))
        _ = try await WorkerQueue(
            desk.keys, worker: WorkerID("w2"), claims: desk.client, moves: desk.client
        ).renew()
        #expect(try await desk.run("status").output.contains("1 live worker should have taken them back"))
    }

    @Test
    func `a paused queue without jobs, an expired worker without jobs and a fresh death are no problem`()
        async throws
    {
        let desk = try await TestDesk()
        try await desk.settle("a")
        try await desk.operators.pause(because: "a test")
        try await desk.expire("idle", secondsAgo: 30)
        #expect(try await desk.run("status").exit == .status(0))
        try await desk.operators.resume()
        try await desk.push(job("b"))
        let dead = WorkerQueue(desk.keys, worker: WorkerID("gone"), claims: desk.client, moves: desk.client)
        _ = try await dead.claim(limit: 1)
        try await desk.expire("gone", secondsAgo: 1)
        #expect(try await desk.run("status").exit == .status(0))
    }

    @Test func `names from outside cannot draw on the terminal`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        _ = try await desk.redis("HSET", "{thumbnails}:worker:w1:info", "host", "evil\u{1B}[2J")
        try await desk.operators.pause(because: "\u{1B}]0;title\u{7}")
        let ran = try await desk.run("status")
        #expect(!ran.output.contains("\u{1B}") && ran.output.contains(#"evil\u{1b}[2J"#))
    }

    @Test func `without a terminal top prints one block after the other, with a rate between them`()
        async throws
    {
        let desk = try await TestDesk()
        try await desk.settle("a")
        let ran = try await desk.run("top", "--count", "3", "--interval", "100ms")
        #expect(ran.exit == .status(0))
        #expect(ran.lines.count { $0.hasSuffix(": healthy") } == 3)
        #expect(!ran.output.contains("\u{1B}"))
        let json = try await desk.run("top", "--count", "2", "--interval", "100ms", "--json")
        #expect(json.lines.count == 2 && json.lines.allSatisfy { $0.hasPrefix(#"{"queue":"thumbnails""#) })
        #expect(json.lines[1].contains(#""finished_per_second":0,"#))
    }

    @Test(arguments: ["q", "\u{3}", "SIGTERM"])
    func `on a terminal top draws over itself, and gives the terminal back`(end: String) async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        let terminal = try PseudoTerminal()
        let program = try terminal.fleet(
            ["top", "--interval", "100ms"],
            environment: ["REDIS_URL": desk.url, "TERM": "xterm", "NO_COLOR": ""])
        try await eventually("two frames") { terminal.shown.split(separator: "\u{1B}[H").count > 2 }
        #expect(terminal.shown.contains("\u{1B}[?1049h") && terminal.shown.contains("\u{1B}[32mhealthy"))
        #expect(!terminal.isRestored)
        if end == "SIGTERM" { program.send(15) } else { terminal.type(end) }
        #expect(await program.wait() == .status(0))
        #expect(terminal.shown.hasSuffix("\u{1B}[?25h\u{1B}[?1049l") && terminal.isRestored)
    }

    @Test func `top shows an outage and goes on after it`() async throws {
        let desk = try await TestDesk(appendOnly: true)
        try await desk.settle("a")
        let program = try desk.fleet("top", "--interval", "100ms")
        func blocks() -> Int {
            program.standardOutput.split(separator: "\n").count { $0.contains(" at unix") }
        }
        try await eventually("a block") { blocks() > 0 }
        await desk.redis.kill()
        try await eventually("a word about the outage") { program.standardError.contains("fleet: ") }
        let before = blocks()
        try await desk.redis.start()
        try await eventually("another block") { blocks() > before }
        program.send(2)
        #expect(await program.wait() == .status(0))
    }

    @Test func `colours are for terminals, and not for those who refuse them`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        for (environment, isColoured) in [(["NO_COLOR": "1"], false), (["NO_COLOR": ""], true)] {
            let terminal = try PseudoTerminal()
            let program = try terminal.fleet(
                ["status"], environment: ["REDIS_URL": desk.url, "TERM": "xterm"].merging(environment) { $1 })
            #expect(await program.wait() == .status(0))
            #expect(terminal.shown.contains("\u{1B}[") == isColoured)
        }
    }
}
