import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// What producers and consumers see of a worker.
struct JobTests {
    @Test func `a plain push gives the file, exact in size, and one whole result`() async throws {
        let fleet = try await TestFleet(pictures: ["albums/a.jpg": "landscape-420.jpg"])
        let worker = try fleet.worker()
        try await fleet.push(#"{"source":"albums/a.jpg","pt":"120x120","scale":3}"#)
        let result = try #require(try await fleet.results(1).first)
        #expect(result.status == .done && result.error == nil)
        let output = try #require(result.outputs?.first)
        #expect(output.path == "120x120@3x/albums/a.jpg")
        #expect(output.width == 360 && output.height == 240 && output.scale == 3)
        #expect(fleet.thumbnail(output.path)?.count == output.bytes)
        #expect(result.source == "albums/a.jpg" && result.attempt == 1 && result.worker != nil)
        #expect(result.stored == JobResult.Size(width: 640, height: 427))
        #expect(result.displayed == result.stored && result.orientation?.value == 1)
        #expect(result.decodeScale == 1 && (result.footprintBytes ?? 0) > 100_000 && result.notes == [])
        #expect((result.timings?.decode ?? 0) > 0 && result.finishedAt?.hasSuffix("Z") == true)
        try await fleet.expectConservation()
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    @Test func `several scales, an own output and a batch`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.push(
            #"{"source":"a.jpg","pt":"50x50","scale":[1,2],"output":"x/y.jpg","quality":60,"id":"one","batch":"b","else":1}"#,
            #"{"source":"missing.jpg","pt":{"width":50,"height":50},"scale":1,"batch":"b"}"#)
        let results = try await fleet.results(2)
        let done = try #require(results.first { $0.id == "one" })
        #expect(done.outputs?.map(\.path) == ["x/y@1x.jpg", "x/y@2x.jpg"])
        #expect(done.outputs?.map(\.width) == [50, 100])
        #expect(results.contains { $0.error?.code == .sourceNotFound && $0.status == .failed })
        let progress = try await ProducerQueue(fleet.keys, client: fleet.client).progress(ofBatch: "b")
        #expect(progress.finished == 1 && progress.failed == 1 && progress.errors == ["source_not_found": 1])
        try await fleet.expectConservation()
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    @Test func `the same bytes pushed twice are two jobs`() async throws {
        let fleet = try await TestFleet()
        let job = #"{"source":"a.jpg","pt":"20x20","scale":1}"#
        try await fleet.push(job, job)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(2)
        #expect(results.count == 2 && results[0].id == results[1].id)
        try await fleet.expectConservation()
    }

    @Test func `bytes that are no job are buried as they came, and the next job runs`() async throws {
        let fleet = try await TestFleet()
        let huge = #"{"source":""# + String(repeating: "x", count: 70_000) + #""}"#
        let bad: [[UInt8]] = [
            Array("nonsense".utf8), [0xFF, 0xFE, 0x00], Array(huge.utf8), Array("[1,2]".utf8),
            Array(#"{"source":7,"pt":"1x1","scale":1}"#.utf8),
            Array(String(repeating: "[", count: 60_000).utf8),
        ]
        for bytes in bad { try await fleet.push(bytes: bytes) }
        try await fleet.push(#"{"source":"a.jpg","pt":"20x20","scale":1}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(bad.count + 1)
        #expect(results.count { $0.error?.code == .invalidJob } == bad.count)
        #expect(results.count { $0.status == .done } == 1)
        let dead = try await fleet.client.call(RedisCommand("XRANGE", fleet.keys.dead, "-", "+")).array ?? []
        let buried = dead.map { entry -> [UInt8] in
            let fields = entry.array?.last?.array ?? []
            let index = fields.firstIndex { $0.text == "job" } ?? 0
            return fields[index + 1].bytes ?? []
        }
        #expect(Set(buried) == Set(bad))
        try await fleet.expectConservation()
    }

    @Test func `a job of a newer version is left for a newer worker and holds up nobody`() async throws {
        let fleet = try await TestFleet()
        try await fleet.push(
            #"{"v":2,"shape":"round"}"#, #"{"source":"a.jpg","pt":"20x20","scale":1}"#)
        let worker = try fleet.worker()
        #expect(try await fleet.results(1).count == 1)
        let audit = try await eventually("the job to be put aside") {
            let audit = try await fleet.operators.audit()
            return audit.delayed == 1 ? audit : nil
        }
        #expect(audit.counters["released"] == 1 && audit.dead == 0)
        try await fleet.expectConservation()
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    static let failures: [(job: String, code: ErrorCode)] = [
        (#"{"source":"missing.jpg","pt":"9x9","scale":1}"#, .sourceNotFound),
        (#"{"source":"../outside.jpg","pt":"9x9","scale":1}"#, .sourceForbidden),
        (#"{"source":"/etc/passwd","pt":"9x9","scale":1}"#, .sourceForbidden),
        (#"{"source":"folder","pt":"9x9","scale":1}"#, .sourceForbidden),
        (#"{"source":"text.jpg","pt":"9x9","scale":1}"#, .notAnImage),
        (#"{"source":"empty.jpg","pt":"9x9","scale":1}"#, .notAnImage),
        (#"{"source":"png.jpg","pt":"9x9","scale":1}"#, .unsupportedFormat),
        (#"{"source":"twelve.jpg","pt":"9x9","scale":1}"#, .unsupportedFormat),
        (#"{"source":"damaged.jpg","pt":"9x9","scale":1}"#, .damagedImage),
        (#"{"source":"cut.jpg","pt":"9x9","scale":1}"#, .truncatedImage),
        (#"{"source":"scans.jpg","pt":"9x9","scale":1}"#, .imageRefused),
        (#"{"source":"bomb.jpg","pt":"9x9","scale":1}"#, .imageRefused),
        (#"{"source":"a.jpg","pt":"0.4x0.4","scale":1}"#, .targetTooSmall),
        (#"{"source":"a.jpg","pt":"0x120","scale":1}"#, .invalidJob),
        (#"{"source":"a.jpg","pt":"9x9","scale":1,"output":"../../x.jpg"}"#, .sourceForbidden),
    ]

    @Test func `every failure has its code, says why, and leaves no file`() async throws {
        let fleet = try await TestFleet(pictures: [
            "a.jpg": "landscape-420.jpg", "folder/x.jpg": "landscape-420.jpg",
            "text.jpg": "not-a-picture.jpg",
            "empty.jpg": "empty.jpg", "png.jpg": "png-named.jpg", "twelve.jpg": "twelve-bit.jpg",
            "damaged.jpg": "damaged.jpg", "cut.jpg": "cut-half.jpg", "scans.jpg": "scans-501.jpg",
            "bomb.jpg": "bomb.jpg",
        ])
        for failure in Self.failures { try await fleet.push(failure.job) }
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(Self.failures.count)
        for failure in Self.failures {
            let ticket = Job.read(Array(failure.job.utf8)).ticket
            let error = results.first { $0.id == ticket.id }?.error
            #expect(error?.code == failure.code, "\(failure.job): \(error?.message ?? "no error")")
            #expect(error?.retryable == false && error?.message.isEmpty == false)
        }
        let cut = results.first { $0.source == "cut.jpg" }?.error?.detail
        #expect(cut?["rows"] == .integer(427))
        #expect(fleet.thumbnail("9x9@1x/cut.jpg") == nil)
        try await fleet.expectConservation()
    }

    @Test func `a damaged picture may be accepted, and its result says so`() async throws {
        let fleet = try await TestFleet(pictures: ["cut.jpg": "cut-half.jpg"])
        try await fleet.push(#"{"source":"cut.jpg","pt":"90x90","scale":1}"#)
        let worker = try fleet.worker(["--drain", "--accept-partial"])
        #expect(await worker.wait() == .status(0))
        let result = try await fleet.results(1)[0]
        #expect(result.status == .done && result.partial == true)
    }

    @Test func `more than the whole budget is refused with both figures`() async throws {
        let fleet = try await TestFleet()
        var long = Fixture.bytes("landscape-420.jpg")
        long += [UInt8](repeating: 0, count: 6 << 20)
        try fleet.write(long, to: "long.jpg")
        try await fleet.push(
            #"{"source":"long.jpg","pt":"90x90","scale":1}"#, #"{"source":"a.jpg","pt":"90x90","scale":1}"#)
        let worker = try fleet.worker(["--drain", "--memory-budget", "5MiB"])
        #expect(await worker.wait() == .status(0))
        let results = try await fleet.results(2)
        let error = results.compactMap(\.error).first
        #expect(error?.code == .memoryBudgetExceeded && error?.detail["budget_bytes"] == .integer(5 << 20))
        #expect(results.contains { $0.status == .done })
    }

    @Test func `an output that cannot be written is tried again with growing pauses`() async throws {
        let fleet = try await TestFleet()
        // A folder stands where the thumbnail should.
        try fleet.write([], to: "../thumbs/x.jpg/inside")
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"output":"x.jpg"}"#)
        let worker = try fleet.worker()
        let audit = try await eventually("a retry") {
            let audit = try await fleet.operators.audit()
            // On a busy machine it may be seen only after the next one.
            return audit.counters["retried", default: 0] >= 1 ? audit : nil
        }
        #expect(audit.missing == 0)
        try fleet.remove("thumbs/x.jpg")
        let result = try await fleet.results(1, within: .seconds(60))[0]
        #expect(result.status == .done && (result.attempt ?? 0) >= 2)
        try await fleet.expectConservation()
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }
}

extension TestFleet {
    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: folder.path + "/" + path)
    }
}
