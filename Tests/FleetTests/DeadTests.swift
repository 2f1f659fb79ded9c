import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Fleet

/// `fleet dead`, `fleet retry` and `fleet discard`.
struct DeadTests {
    @Test func `dead jobs are listed newest first, by code and by age`() async throws {
        let desk = try await TestDesk()
        for (id, code) in [("a", ErrorCode.timedOut), ("b", .truncatedImage), ("c", .timedOut)] {
            try await desk.settle(id, code)
        }
        let all = try await desk.run("dead")
        #expect(all.exit == .status(0) && all.lines.count == 4)
        #expect(all.lines[0].split(separator: " ") == ["AGE", "CODE", "ATTEMPTS", "ID", "SOURCE", "MESSAGE"])
        #expect(
            all.lines[1].contains(" timed_out               1  c   c.jpg   timed_out of c"), "\(all.output)")
        let some = try await desk.run("dead", "--code", "timed_out,internal", "--limit", "1")
        #expect(some.lines.count == 2 && some.lines[1].hasSuffix("timed_out of c"))
        #expect(some.complaints == "fleet: these are the newest 1; there are more: --limit N\n")
        #expect(try await desk.run("dead", "--since", "1h").lines.count == 4)
        #expect(all.complaints == "fleet: 3 jobs: 2 timed_out, 1 truncated_image\n")
        #expect(try await desk.run("dead", "--older-than", "1h").output == "no dead job is like this\n")
    }

    @Test func `one dead job is shown whole, with its bytes and what to do`() async throws {
        let desk = try await TestDesk()
        let ticket = try await desk.settle("a", .truncatedImage, batch: "b")
        let entry = try #require(try await desk.operators.dead(named: "a").first).entry
        let ran = try await desk.run("dead", "a")
        #expect(ran.exit == .status(0))
        let text = ran.output
        #expect(text.hasPrefix("job      a, entry \(entry) of the dead list\nburied   2"))
        #expect(text.contains("\ncode     truncated_image\nmessage  truncated_image of a\ndetail   rows 9\n"))
        #expect(text.contains("\nbatch    b\nto do    the file's fault, most likely: the file is cut off"))
        #expect(text.contains("\npushed   \(String(decoding: ticket.raw, as: UTF8.self))\n"))
        #expect(text.contains("\nthen     fleet retry \(entry) --redis \(desk.url)\n"))
        let same = try await desk.run("dead", entry)
        #expect(same.lines[2...] == ran.lines[2...], "the same but for its age")
        let none = try await desk.run("dead", "nobody")
        #expect(
            none.exit == .status(1) && none.complaints.contains("no dead job has the id “nobody”: it was"))
    }

    @Test func `bytes that are no text are shown safely and kept exactly`() async throws {
        let desk = try await TestDesk()
        let raw: [UInt8] = [0xFF, 0x1B, 0x5B, 0x33, 0x31, 0x6D, 0x00]
        var push = RedisCommand("LPUSH", desk.keys.queue)
        push.append(raw)
        _ = try await desk.client.call(push)
        _ = try await desk.worker.renew()
        _ = try await desk.worker.claim(limit: 1)
        let ticket = Job.read(raw).ticket
        _ = try await desk.worker.bury(
            ticket, JobResult(ticket, error: JobFailure(.invalidJob, "expected JSON\u{1B}[2J")))
        let whole = try await desk.run("dead", ticket.id).output
        #expect(whole.contains(#"pushed   \xff\x1b[31m\x00"#) && !whole.contains("\u{1B}"), "\(whole)")
        #expect(try await desk.run("dead").output.contains(#"expected JSON\u{1b}[2J"#))
        struct Shape: Decodable {
            let id: String, entry: String, code: String, attempts: Int, age_seconds: Double, message: String
            let retryable: Bool, job: String?, job_base64: Data
        }
        let json = try await desk.run("dead", "--json").output
        let shape = try JSONDecoder().decode(Shape.self, from: Data(json.utf8))
        #expect(Array(shape.job_base64) == raw && shape.job == nil && shape.code == "invalid_job")
        #expect(try await desk.run("retry", ticket.id).output.hasPrefix("retried 1 job; 1 invalid_job will"))
        let back = try await desk.redis("LRANGE", desk.keys.queue, "0", "-1")
        #expect(back == .array([.bytes(raw)]))
    }

    @Test func `nothing happens to many without a yes, and a dry run only counts`() async throws {
        let desk = try await TestDesk()
        for id in ["a", "b", "c"] { try await desk.settle(id, id == "c" ? .internal : .timedOut) }
        let before = try await KeySpace(of: desk.client)
        let refused = try await desk.run("retry", "--all")
        #expect(refused.exit == .status(64))
        #expect(refused.complaints.contains("retry 3 jobs (2 timed_out, 1 internal): there is no terminal"))
        #expect(refused.complaints.contains("add --yes"))
        let dry = try await desk.run("discard", "--all", "--dry-run")
        #expect(dry.exit == .status(0) && dry.output == "would discard 3 jobs (2 timed_out, 1 internal)\n")
        #expect(try await KeySpace(of: desk.client) == before)
        #expect(try await desk.run("retry").exit == .status(64))
        #expect(try await desk.run("retry", "--all", "--code", "internal").exit == .status(64))
        #expect(try await desk.run("retry", "a", "--code", "internal").exit == .status(64))
        #expect(try await desk.run("retry", "--code", "damaged_image").output.contains("nothing to retry"))
        let json = try await desk.run("retry", "--code", "timed_out", "--yes", "--json")
        #expect(
            json.output == #"{"queue":"thumbnails","matched":2,"by_code":{"timed_out":2},"dry_run":false,"#
                + #""retried":2,"gone":0,"unusable":0}"# + "\n")
        #expect(try await desk.run("discard", "c").output == "discarded 1 job\n")
        #expect(try await desk.operators.audit().waiting == 2)
    }

    @Test(arguments: [("y\n", 2), ("n\n", 0), ("\n", 0)])
    func `on a terminal it asks, and only a yes is one`(answer: String, retried: Int) async throws {
        let desk = try await TestDesk()
        for id in ["a", "b"] { try await desk.settle(id, .timedOut) }
        let terminal = try PseudoTerminal()
        let program = try terminal.fleet(["retry", "--all"], environment: ["REDIS_URL": desk.url])
        try await eventually("the question") {
            terminal.shown.contains("retry 2 jobs (2 timed_out) of thumbnails? [y/N] ")
        }
        #expect(try await desk.operators.audit().waiting == 0)
        terminal.type(answer)
        #expect(await program.wait() == .status(0))
        #expect(try await desk.operators.audit().waiting == retried)
    }

    @Test func `two operators that retry the same thousand jobs at once bring each back once`() async throws {
        let desk = try await TestDesk()
        for number in 0..<1_000 { try await desk.settle("j\(number)", .timedOut, batch: "b") }
        let programs = try (0..<2).map { _ in try desk.fleet("retry", "--all", "--yes", "--json") }
        var retried = 0
        for program in programs {
            #expect(await program.wait() == .status(0))
            let text = program.standardOutput
            let start = try #require(text.firstRange(of: #""retried":"#)).upperBound
            retried += try #require(Int(text[start...].prefix { $0.isNumber }))
        }
        #expect(retried == 1_000)
        let waiting = try await KeySpace(of: desk.client).list(desk.keys.queue)
        #expect(waiting.count == 1_000 && Set(waiting).count == 1_000)
        // As they were pushed: the oldest is served first.
        #expect(waiting.last == job("j0", batch: "b"))
        let audit = try await desk.run("audit")
        #expect(audit.exit == .status(0) && audit.output.contains("operators retried 1,000 dead jobs"))
        #expect(audit.output.contains("no job is missing"))
    }

    @Test func `a job that is not dead is found where it is`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("done")
        try await desk.fail("again", .sourceUnreadable)
        for id in ["runs", "first", "second"] { try await desk.push(job(id)) }
        _ = try await desk.worker.claim(limit: 1)
        for (id, place) in [
            ("runs", "a job with it runs now, on w1"), ("second", "a job with it waits, 1 job before it"),
            ("again", "a job with it is delayed and will be tried again"),
            ("done", "a job with it was settled as done"),
        ] {
            let ran = try await desk.run("dead", id)
            #expect(ran.exit == .status(1) && ran.complaints.contains("“\(id)”: " + place), "\(ran)")
        }
        let delayed = try await desk.run("delayed")
        #expect(
            delayed.lines.count == 2
                && delayed.lines[1].split(separator: " ").suffix(5)
                    == ["1", "tried", "again", "again", "again.jpg"],
            "\(delayed)")
    }

    @Test func `what may be deleted comes from the command line, with units and known codes`() async throws {
        let desk = try await TestDesk()
        for id in ["a", "b"] { try await desk.settle(id, .timedOut) }
        let before = try await KeySpace(of: desk.client)
        for environment in [
            ["THUMBNAIL_DEAD_ALL": "1", "THUMBNAIL_YES": "1"], ["THUMBNAIL_DEAD_OLDER_THAN": "0s"],
            ["THUMBNAIL_DEAD_CODE": "timed_out", "THUMBNAIL_YES": "1"],
        ] {
            #expect(try await desk.run(["discard"], environment: environment).exit == .status(64))
        }
        let unasked = try await desk.run(["discard", "--all"], environment: ["THUMBNAIL_YES": "1"])
        #expect(unasked.exit == .status(64))
        let bare = try await desk.run("discard", "--older-than", "7", "--yes")
        #expect(bare.exit == .status(64))
        #expect(bare.complaints.contains("got “7”, expected a length of time with its unit"))
        #expect(bare.complaints.contains("7d, 7h, 7m or 7s"), "\(bare)")
        #expect(try await desk.run("results", "--since", "10").exit == .status(64))
        let wrong = try await desk.run("discard", "--code", "timedout", "--yes")
        #expect(wrong.exit == .status(64) && wrong.complaints.contains("did you mean timed_out?"), "\(wrong)")
        #expect(try await desk.run("discard", "a", "nobody").complaints.contains("nothing was done"))
        let asked = try await desk.run("discard", "--older-than", "0s")
        #expect(asked.complaints.contains("discard 2 jobs buried longer than 0 ms ago (2 timed_out)"))
        #expect(try await KeySpace(of: desk.client) == before)
    }

    @Test func `a retry says what it cannot help`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a", .truncatedImage)
        try await desk.settle("b", .outputUnwritable)
        let whole = try await desk.run("dead", "a", "b").output
        #expect(whole.contains("retried  no: it would fail again\n"))
        let ran = try await desk.run("retry", "--all", "--yes")
        #expect(
            ran.output
                == "retried 2 jobs; 1 truncated_image will fail again, for the job or its picture is to blame\n"
        )
    }

    @Test func `a dead job names the worker and its machine, and an operator's fault may be over`()
        async throws
    {
        let desk = try await TestDesk()
        try await desk.settle("a", .sourceForbidden)
        let ran = try await desk.run("dead", "a")
        #expect(ran.output.contains("\nworker   w1 on host box\n"), "\(ran)")
        #expect(ran.output.contains("no: it would fail again until the cause is removed; then retry it\n"))
    }

    @Test func `dead jobs are retried also when Redis is full`() async throws {
        let desk = try await TestDesk()
        for id in ["a", "b"] { try await desk.settle(id, .outputUnwritable) }
        _ = try await desk.redis("CONFIG", "SET", "maxmemory", "1")
        let ran = try await desk.run("retry", "--code", "output_unwritable", "--yes")
        #expect(ran.exit == .status(0) && ran.output == "retried 2 jobs\n", "\(ran)")
        #expect(try await desk.operators.audit().waiting == 2)
    }
}
