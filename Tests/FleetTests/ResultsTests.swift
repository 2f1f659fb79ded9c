import JobQueue
import Redis
import TestSupport
import Testing

@testable import Fleet

/// `fleet results`, `fleet pause`, `fleet resume` and `fleet audit`.
struct ResultsTests {
    @Test func `the newest results are printed, the oldest of them first`() async throws {
        let desk = try await TestDesk()
        for number in 0..<5 {
            try await desk.settle("j\(number)", number == 1 ? .timedOut : nil, batch: number < 3 ? "b" : nil)
        }
        let newest = try await desk.run("results", "--limit", "2")
        #expect(
            newest.lines.map { $0.dropFirst(22) } == ["done    j3.jpg    j3", "done    j4.jpg    j4"])
        #expect(newest.lines.allSatisfy { $0.hasPrefix("2") && $0.prefix(22).hasSuffix("Z  ") })
        let failed = try await desk.run("results", "--failed")
        #expect(
            failed.lines.map { $0.dropFirst(22) } == ["failed  j1.jpg  timed_out: timed_out of j1  j1  by w1"]
        )
        #expect(try await desk.run("results", "--batch", "b").lines.count == 3)
        #expect(try await desk.run("results", "--since", "10m").lines.count == 5)
        let some = try await desk.run("results", "--since", "10m", "--limit", "2")
        #expect(some.output == newest.output, "both count")
        let none = try await desk.run("results", "--batch", "b", "--since", "0s")
        #expect(
            none.exit == .status(0) && none.output == "" && none.complaints.contains("no result is like this")
        )
        let unknown = try await desk.run("results", "--batch", "other")
        #expect(unknown.complaints.contains("no batch “other” is known; batches that are: fleet batch"))
        let stream = try await KeySpace(of: desk.client).stream(desk.keys.results)
        let json = try await desk.run("results", "--json")
        #expect(json.lines.map { String($0) } == stream.map { $0["result"] })
        var entries: [String] = []
        try await desk.operators.forEachResult { result in
            entries.append(result.entry)
            return true
        }
        #expect(try await desk.run("results", "--since", entries[1]).lines.count == 2)
        #expect(try await desk.run("results", "--since", "yesterday").exit == .status(64))
    }

    @Test func `a batch is told with its failures, and an unknown one is refused`() async throws {
        let desk = try await TestDesk()
        _ = try await desk.redis("HSET", desk.keys.batch("b"), "total", "1")
        try await desk.settle("x", .damagedImage, batch: "b")
        try await desk.settle("y", batch: "c")
        let one = try await desk.run("batch", "b")
        #expect(one.exit == .status(0))
        #expect(one.lines[0] == "b: 100 %, 0 done, 1 failed, 0 open of 1 job", "\(one)")
        #expect(one.lines[1].hasPrefix("  1 damaged_image: the picture data is damaged"))
        let all = try await desk.run("batch")
        #expect(all.lines.map { $0.prefix(2) } == ["b:", "c:"], "\(all)")
        #expect(all.lines[1] == "c: 1 done, 0 failed, of an unknown total")
        let unknown = try await desk.run("batch", "nobody")
        #expect(unknown.exit == .status(1) && unknown.complaints.contains("no batch “nobody” is known"))
        #expect(
            try await desk.run("batch", "b", "--json").output
                == #"{"batch":"b","total":1,"finished":0,"failed":1,"open":0,"errors":{"damaged_image":1}}"#
                + "\n")
    }

    @Test func `results are followed as they come, over a restart of Redis`() async throws {
        let desk = try await TestDesk(appendOnly: true)
        try await desk.settle("old")
        let program = try desk.fleet("results", "--follow", "--limit", "1")
        func names() -> [Substring] {
            program.standardOutput.split(separator: "\n").map { $0.dropFirst(30).prefix { $0 != "." } }
        }
        try await eventually("what was") { names() == ["old"] }
        try await untilBlocked(desk)
        let start = ContinuousClock.now
        try await desk.settle("new")
        try await eventually("what came") { names() == ["old", "new"] }
        #expect(ContinuousClock.now - start < .seconds(4), "it wakes long before its sleep is over")
        await desk.redis.kill()
        try await eventually("a word") { program.standardError.contains("Redis is away") }
        try await desk.redis.start()
        try await desk.settle("after")
        try await eventually("what came after") { names() == ["old", "new", "after"] }
        #expect(program.standardError.contains("Redis is back after"))
        program.send(2)
        #expect(await program.wait() == .status(0))
        #expect(!program.standardError.contains("fell behind"))
    }

    @Test func `a follower that fell behind the cap says so`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("old")
        let program = try desk.fleet("results", "--follow")
        try await untilBlocked(desk)
        program.send(19)
        for number in 0..<20 { try await desk.settle("j\(number)") }
        _ = try await desk.redis("XTRIM", desk.keys.results, "MAXLEN", "1")
        program.send(18)
        // What Redis had already sent is printed; the next read finds the gap.
        try await eventually("the last result") { program.standardOutput.contains("j19.jpg") }
        try await eventually("a word about the gap") { program.standardError.contains("fell behind") }
        program.send(15)
        #expect(await program.wait() == .status(0))
    }

    @Test func `a reader that goes away ends it`() async throws {
        let desk = try await TestDesk()
        for number in 0..<300 { try await desk.settle("j\(number)") }
        let program = try ChildProcess(
            "sh",
            [
                "-c", #""$0" results --limit 300 --json | head -n 1 >/dev/null; echo done"#,
                BuiltProgram.path("fleet"),
            ], environment: ["REDIS_URL": desk.url])
        #expect(await program.wait() == .status(0))
        #expect(program.standardOutput == "done\n" && program.standardError == "")
    }

    private func untilBlocked(_ desk: TestDesk) async throws {
        try await eventually("a sleeper in Redis") {
            let clients = try await desk.redis("INFO", "clients").text ?? ""
            return clients.contains("blocked_clients:1\r\n")
        }
    }
}

struct PauseAndAuditTests {
    @Test func `a pause tells what waits and what runs on, and twice is as good as once`() async throws {
        let desk = try await TestDesk()
        for id in ["a", "b"] { try await desk.push(job(id)) }
        _ = try await desk.worker.renew()
        _ = try await desk.worker.claim(limit: 1)
        let first = try await desk.run("pause", "--reason", "the disk moves")
        #expect(first.exit == .status(0))
        #expect(
            first.output == "thumbnails: paused (the disk moves): 1 job waits and will not be claimed, "
                + "1 job runs on to the end; to go on: fleet resume --redis \(desk.url)\n")
        #expect(try await desk.worker.claim(limit: 1) == .paused)
        #expect(try await desk.run("pause").output.contains("was paused already"))
        let json = try await desk.run("resume", "--json")
        #expect(
            json.output
                == #"{"queue":"thumbnails","paused":false,"was_paused":true,"waiting":1,"running":1}"# + "\n")
        let again = try await desk.run("resume")
        #expect(again.output == "thumbnails: was not paused: 1 job waits, 1 job runs\n")
        guard case .jobs = try await desk.worker.claim(limit: 1) else {
            Issue.record("the queue is still paused")
            return
        }
    }

    @Test func `a queue is paused and resumed also when Redis is full`() async throws {
        let desk = try await TestDesk()
        try await desk.push(job("a"))
        _ = try await desk.redis("CONFIG", "SET", "maxmemory", "1")
        #expect(try await desk.run("pause").exit == .status(0))
        #expect(try await desk.operators.pauseReason() == "paused by an operator")
        #expect(try await desk.run("resume").exit == .status(0))
        #expect(try await desk.operators.pauseReason() == nil)
    }

    @Test func `an audit adds up in words`() async throws {
        let desk = try await TestDesk()
        _ = try await desk.producer.enqueue(
            [.init(name: "1", jobs: [Array(job("x", batch: "b").utf8)])], batch: "b")
        _ = try await desk.worker.renew()
        _ = try await desk.worker.claim(limit: 1)
        try await desk.settle("a")
        try await desk.settle("c", .timedOut)
        let ran = try await desk.run("audit")
        #expect(ran.exit == .status(0), "\(ran)")
        #expect(ran.lines[1] == "  3 jobs taken from the queue")
        #expect(
            ran.lines[2]
                == "  = 1 finished + 1 buried + 0 retried + 0 reclaimed + 0 released + 1 in workers' lists")
        #expect(ran.lines[3] == "  no job is missing")
        #expect(ran.lines.contains("  1 batch with a total, 0 of them settled, 1 job open"))
    }

    @Test func `an audit finds jobs that were deleted`() async throws {
        let desk = try await TestDesk()
        let jobs = (0..<4).map { Array(job("\($0)", batch: "b").utf8) }
        _ = try await desk.producer.enqueue([.init(name: "1", jobs: jobs)], batch: "b")
        _ = try await desk.worker.renew()
        _ = try await desk.worker.claim(limit: 1)
        _ = try await desk.redis("DEL", desk.keys.list(of: WorkerID("w1")))
        let taken = try await desk.run("audit")
        #expect(taken.exit == .status(1) && taken.output.contains("  1 job missing"))
        _ = try await desk.redis("DEL", desk.keys.queue)
        let all = try await desk.run("audit")
        #expect(all.output.contains("4 jobs of these batches are neither settled nor anywhere"), "\(all)")
        #expect(all.output.contains("b: 4 enqueued, 0 finished, 0 failed, 4 open"))
        let json = try await desk.run("audit", "--json")
        #expect(json.exit == .status(1) && json.output.contains(#""sound":false,"taken":1"#))
        #expect(json.output.contains(#""missing":1,"#) && json.output.contains(#""missing_of_batches":4,"#))
    }

    @Test func `an audit finds a list without a lease and repairs it`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        _ = try await desk.redis("LPUSH", desk.keys.list(of: WorkerID("lost")), job("b"))
        let found = try await desk.run("audit")
        #expect(found.exit == .status(1))
        #expect(found.output.contains("1 job in the list of lost, which has no lease: fleet audit --repair"))
        let repaired = try await desk.run("audit", "--repair")
        #expect(repaired.exit == .status(0) && repaired.output.contains("it has one now"), "\(repaired)")
        #expect(try await desk.run("audit").exit == .status(0))
        try await desk.expire("lost", secondsAgo: 1)
        #expect(try await desk.worker.reclaim().requeued == 1)
        #expect(try await desk.run("audit").exit == .status(0))
    }
}
