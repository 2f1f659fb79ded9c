import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// What stands in results and in Redis, for readers in any language.
struct ResultTests {
    @Test func `a result has every field, a failed one an error instead of outputs`() async throws {
        let fleet = try await TestFleet()
        try await fleet.push(
            #"{"source":"a.jpg","pt":"60x60","scale":1,"batch":"b"}"#,
            #"{"source":"none.jpg","pt":"60x60","scale":1,"batch":"b"}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        var shapes: [Bool: Set<String>] = [:]
        for text in try await fleet.resultTexts(2) {
            let isDone = try JobResult(json: text).status == .done
            shapes[isDone] = try JSONDecoder().decode(JSONShape.self, from: Data(text)).paths
        }
        #expect(
            shapes[true] == [
                "id", "status", "source", "attempt", "worker", "batch", "finished_at", "notes",
                "outputs", "outputs.path", "outputs.width", "outputs.height", "outputs.bytes",
                "outputs.scale",
                "stored", "stored.width", "stored.height", "displayed", "displayed.width", "displayed.height",
                "orientation", "orientation.value", "orientation.from", "decode_scale", "footprint_bytes",
                "timings_ms", "timings_ms.wait", "timings_ms.read", "timings_ms.decode",
                "timings_ms.resample",
                "timings_ms.encode", "timings_ms.write",
            ])
        #expect(
            shapes[false] == [
                "id", "status", "source", "attempt", "worker", "batch", "finished_at", "error", "error.code",
                "error.message", "error.retryable", "error.detail",
            ])
        try await fleet.expectAllSettled()
    }

    @Test func `a misspelled field of a job that works is a note of its result`() async throws {
        let fleet = try await TestFleet()
        try await fleet.push(#"{"source":"a.jpg","pt":"60x60","scale":1,"qualty":50}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        #expect(try await fleet.results(1)[0].notes == ["unknown field qualty, did you mean quality?"])
    }

    @Test func `a stream entry names the job, its status and its batch beside the result`() async throws {
        let fleet = try await TestFleet()
        try await fleet.push(#"{"source":"a.jpg","pt":"60x60","scale":1,"batch":"b","id":"one"}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let entry = try #require(try await KeySpace(of: fleet.client).stream(fleet.keys.results).first)
        #expect(entry["id"] == "one" && entry["status"] == "done" && entry["batch"] == "b")
        #expect(Set(entry.keys) == ["id", "status", "batch", "result"])
    }

    @Test func `beyond the keys of the queue nothing stays in Redis for ever`() async throws {
        let fleet = try await TestFleet()
        try await fleet.push(
            #"{"source":"a.jpg","pt":"60x60","scale":1,"batch":"b"}"#, "nonsense",
            #"{"source":"none.jpg","pt":"60x60","scale":1,"batch":"b"}"#)
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let keys = try await KeySpace(of: fleet.client)
        let lasting = Set(keys.entries.filter { !$0.value.expires }.keys)
        #expect(lasting == [fleet.keys.counters, fleet.keys.dead, fleet.keys.results])
        #expect(keys.entries[fleet.keys.batch("b")]?.expires == true)
    }

    @Test func `the same job gives the same bytes, and a lower quality fewer`() async throws {
        let fleet = try await TestFleet(pictures: ["a.jpg": "portrait-orientation-6.jpg"])
        for (name, quality) in [("one", 80), ("two", 80), ("coarse", 20), ("fine", 95)] {
            try await fleet.push(
                #"{"source":"a.jpg","pt":"90x90","scale":2,"output":"\#(name).jpg","quality":\#(quality)}"#)
        }
        try await fleet.push(#"{"source":"a.jpg","pt":"90x90","scale":2,"output":"usual.jpg"}"#)
        let workers = [try fleet.worker(["--drain"]), try fleet.worker(["--drain"])]
        for worker in workers { #expect(await worker.wait() == .status(0)) }
        let sizes = try ["coarse", "one", "fine"].map { try #require(fleet.thumbnail($0 + ".jpg")).count }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
        #expect(fleet.thumbnail("one.jpg") == fleet.thumbnail("two.jpg"))
        #expect(fleet.thumbnail("one.jpg") == fleet.thumbnail("usual.jpg"), "80 is what a job gets unasked")
        try await fleet.expectAllSettled()
    }

    @Test func `a newer version waits without a hot loop while older jobs run`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        for number in 0..<3 { try await fleet.push(#"{"v":\#(number + 2),"shape":"round"}"#) }
        try await fleet.push(#"{"source":"a.jpg","pt":"20x20","scale":1}"#)
        _ = try await fleet.results(1)
        try await eventually("all newer jobs to be put aside") {
            try await fleet.operators.audit().delayed == 3 ? () : nil
        }
        let before = try await fleet.commands()["evalsha", default: 0]
        try await fleet.untilRenewed(2, worker)
        // The audits of this test go by the same name; it makes none meanwhile.
        let sent = try await fleet.commands()["evalsha", default: 0] - before
        #expect(sent <= 4, "renewals, and perhaps a claim after a blocking move that ended")
        #expect(try await fleet.operators.audit().delayed == 3)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }
}
