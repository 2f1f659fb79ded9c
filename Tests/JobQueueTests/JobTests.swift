import Testing

@testable import JobQueue

struct JobTests {
    private func read(_ text: String) -> Job.Reading { Job.read(Array(text.utf8)) }

    private func problems(_ text: String) -> [String] {
        if case .invalid(_, let problems) = read(text) { problems } else { [] }
    }

    @Test func `the smallest job gets the defaults`() throws {
        let raw = #"{"source":"albums/a.jpg","pt":"120x120","scale":3}"#
        guard case .job(let job) = read(raw) else {
            Issue.record("got \(read(raw))")
            return
        }
        #expect(job.source == "albums/a.jpg" && job.output == nil && job.ticket.batch == nil)
        #expect(job.pointWidth == 120 && job.pointHeight == 120 && job.scales == [3] && job.quality == 80)
        #expect(job.ticket.id.count == 17 && job.ticket.id.hasPrefix("j"))
        #expect(job.ticket.raw == Array(raw.utf8))
    }

    @Test func `every field is read and unknown ones are ignored`() throws {
        let raw =
            #"{"v":1,"id":"é","batch":"b","source":"s","pt":{"width":533.4,"height":1000},"scale":[1,2.5],"output":"o","quality":1,"x":{"y":[null]}}"#
        guard case .job(let job) = read(raw) else {
            Issue.record("got \(read(raw))")
            return
        }
        #expect(job.ticket.id == "é" && job.ticket.batch == "b" && job.output == "o" && job.quality == 1)
        #expect(job.pointWidth == 533.4 && job.pointHeight == 1000 && job.scales == [1, 2.5])
    }

    @Test func `null is the same as not set`() {
        guard
            case .job(let job) = read(
                #"{"id":null,"output":null,"quality":null,"batch":null,"v":null,"source":"s","pt":"1x1","scale":1}"#
            )
        else {
            Issue.record("expected a job")
            return
        }
        #expect(job.quality == 80 && job.ticket.id.hasPrefix("j"))
    }

    @Test(arguments: [
        "0x120", "-1x5", "nanx1", "infx1", "120", "1x2x3", "x", "", "1e400x1", " 1x1",
    ])
    func `a point size that is no size is refused`(pt: String) {
        #expect(problems(#"{"source":"s","scale":1,"pt":"\#(pt)"}"#).count == 1)
    }

    @Test(arguments: ["0", "-1", "NaN", "1e999", "\"3\"", "[]", "[1,0]", "[1,\"2\"]", "{}", "true"])
    func `a scale that is no scale is refused`(scale: String) {
        #expect(problems(#"{"source":"s","pt":"1x1","scale":\#(scale)}"#).count == 1)
    }

    @Test func `a product out of range is refused, and a huge one that is finite is not`() {
        #expect(problems(#"{"source":"s","pt":"1e300x1","scale":1e300}"#).count == 1)
        #expect(problems(#"{"source":"s","pt":"5e-324x1","scale":0.1}"#).count == 1)
        #expect(problems(#"{"source":"s","pt":"1e300x1e300","scale":1}"#).isEmpty)
        #expect(problems(#"{"source":"s","pt":"5e-324x1","scale":1}"#).isEmpty)
    }

    @Test func `all problems are reported at once with what was found`() {
        let found = problems(#"{"source":7,"pt":[],"scale":0,"quality":101,"output":"","id":5,"batch":""}"#)
        #expect(found.count == 7)
        #expect(found.contains("quality: expected an integer of 1…100, found 101"))
    }

    @Test func `bytes that are no JSON are told from JSON that breaks off`() {
        #expect(
            problems(#"{"source":"a.jpg","scale":[1,2"#)
                == ["expected JSON, but the 30 bytes end before it does"])
        #expect(
            problems(#"{"source":a.jpg,"scale":1}"#)
                == ["expected JSON, but byte 11 of 26 has no place in it"])
    }

    @Test(arguments: [
        ("scales", "scale"), ("scle", "scale"), ("sacle", "scale"), ("Scale", "scale"), ("PT", "pt"),
        ("qualty", "quality"), ("ouput", "output"), ("sourse", "source"), ("bacth", "batch"), ("ID", "id"),
    ])
    func `an unknown field that is one slip away from a known one is named`(slip: String, meant: String) {
        let sentence = "unknown field \(slip), did you mean \(meant)?"
        let found = problems(#"{"source":"s","pt":"0x0","scale":1,"\#(slip)":1}"#)
        #expect(found.count == 2 && found.last == sentence)
        guard case .job(let job) = read(#"{"source":"s","pt":"1x1","scale":1,"\#(slip)":1}"#) else {
            Issue.record("expected a job")
            return
        }
        #expect(job.notes == [sentence])
    }

    @Test(arguments: ["x", "p", "pts", "ids", "w", "width", "user", "sources_of", "scalar", "", "é", "elacs"])
    func `an unknown field that is like no other is kept and ignored`(name: String) {
        guard case .job(let job) = read(#"{"source":"s","pt":"1x1","scale":1,"\#(name)":1}"#) else {
            Issue.record("expected a job")
            return
        }
        #expect(job.notes.isEmpty)
    }

    @Test func `a job of a thousand strange fields names a few`() {
        let fields = (0..<1_000).map { #""scale\#(UnicodeScalar(UInt32(0x100 + $0)) ?? "x")":1"# }
        #expect(problems("{\(fields.joined(separator: ","))}").count == 3 + 8)
    }

    @Test func `a newer version is left for a newer worker, whatever else it holds`() {
        guard case .newerVersion(let ticket, let version) = read(#"{"v":2,"id":"n","shape":"new"}"#) else {
            Issue.record("expected a newer version")
            return
        }
        #expect(version == 2 && ticket.id == "n")
        #expect(problems(#"{"v":0,"source":"s","pt":"1x1","scale":1}"#).count == 1)
        #expect(problems(#"{"v":1.5,"source":"s","pt":"1x1","scale":1}"#).count == 1)
    }

    @Test func `an invalid job keeps its id and batch, so that its batch comes to an end`() {
        guard case .invalid(let ticket, _) = read(#"{"id":"i","batch":"b"}"#) else {
            Issue.record("expected an invalid job")
            return
        }
        #expect(ticket.id == "i" && ticket.batch == "b")
    }

    @Test func `no bytes are too strange to be read`() {
        let strange: [[UInt8]] = [
            [], [0], [0xFF, 0xFE], Array("{".utf8), Array("\"".utf8), Array("{\"a\":\"\\u12".utf8),
            Array("{\"a\":\"\\".utf8), Array(repeating: UInt8(ascii: "["), count: 60_000),
            Array(repeating: UInt8(ascii: "x"), count: 70_000), Array("nul".utf8), Array("-".utf8),
            Array("{\"source\":\"\u{0}\"}".utf8), [0x22, 0xC3, 0x28, 0x22],
            Array(("{\"a\":" + String(repeating: "9", count: 60_000) + "}").utf8),
        ]
        for raw in strange {
            guard case .invalid(let ticket, let problems) = Job.read(raw) else {
                Issue.record("expected \(raw.prefix(20)) to be invalid")
                continue
            }
            #expect(ticket.raw == raw && !problems.isEmpty)
        }
    }

    @Test func `bytes that are not UTF-8 are refused even in a field nobody reads`() {
        var raw = Array(#"{"source":"s","pt":"1x1","scale":1,"note":"?"}"#.utf8)
        raw[raw.count - 3] = 0xFF
        guard case .invalid(_, let problems) = Job.read(raw) else {
            Issue.record("expected an invalid job")
            return
        }
        #expect(problems == ["expected UTF-8, found other bytes"])
    }
}

struct BackoffTests {
    /// Always the largest value, or always the smallest.
    private struct Extreme: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (1000, 60)])
    func `the pause doubles up to its cap and may be anything below`(failures: Int, seconds: Int) {
        var most = Extreme(value: .max)
        var least = Extreme(value: 0)
        let longest = Backoff().delay(afterFailures: failures, using: &most)
        #expect(longest <= .seconds(seconds) && longest > .seconds(seconds) * 0.999)
        #expect(Backoff().delay(afterFailures: failures, using: &least) == .zero)
    }
}

struct ErrorCodeTests {
    @Test func `exactly the contract's starred codes are retried`() {
        #expect(
            ErrorCode.allCases.filter(\.isRetryable).map(\.rawValue)
                == ["source_unreadable", "output_unwritable", "internal"])
    }
}

struct JobResultTests {
    @Test func `a result is one line of sorted JSON and reads back`() throws {
        let ticket = JobTicket(raw: [], id: "a/b", batch: "é\"\n")
        var result = JobResult(
            ticket, source: "x/y.jpg",
            outputs: [.init(path: "o/p.jpg", width: 3, height: 2, bytes: 9, scale: 1.5)])
        result.decodeScale = 0.125
        result.orientation = .init(value: 6, from: "exif")
        let json = jsonText(result)
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.hasPrefix(#"{"batch":"#) && text.contains(#""path":"o/p.jpg""#) && !text.contains("\n"))
        #expect(try JobResult(json: json) == result)
    }

    @Test func `the facts of a failure keep their types`() throws {
        let failure = JobFailure(
            .memoryBudgetExceeded, "too large",
            detail: [
                "required_bytes": .integer(9_000_000_000), "share": .number(1.5), "why": .string("x"),
                "hard": .flag(true),
            ])
        let result = JobResult(JobTicket(raw: [], id: "i", batch: nil), error: failure)
        #expect(try JobResult(json: jsonText(result)) == result)
        #expect(!failure.retryable)
    }
}

struct QueueKeysTests {
    @Test(arguments: [
        ("thumbs", "{thumbs}:workers"), ("a{tag}b", "a{tag}b:workers"), ("{}x", "{{}x}:workers"),
        ("a}b{", "{a}b{}:workers"), ("{t", "{{t}:workers"),
    ])
    func `all keys share the slot of the queue`(queue: String, workers: String) {
        #expect(QueueKeys(queue: queue).workers == workers)
    }
}
