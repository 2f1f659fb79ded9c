import FleetSupport
import FoundationEssentials
import HTTP
import JobQueue
import TestSupport
import Testing

/// What a worker exposes, against what became of its jobs.
struct MetricsTests {
    @Test func `counters agree with the results, and figures of memory with the budget`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker(["--memory-budget", "32MiB"])
        for number in 0..<6 { try await fleet.push(TestFleet.job("good\(number)")) }
        for number in 0..<2 {
            try await fleet.push(#"{"source":"none.jpg","pt":"9x9","scale":1,"id":"gone\#(number)"}"#)
        }
        try await fleet.push("no job")
        // Buried by a script, and read by no worker.
        try await fleet.push(String(repeating: " ", count: 200_000))
        let results = try await fleet.results(10)
        // A claim counts once Redis' answer is here, which is just after the result is there.
        let scrape = try await fleet.scrape(worker, until: "all outcomes to be counted") {
            $0.jobs("finished") == 6 && $0.jobs("buried", "source_not_found") == 2
                && $0.jobs("buried", "invalid_job") == 2 && $0["thumbnail_jobs_running"] == 0
                && $0.queue("dead") == 4
        }
        let ends = scrape.values.filter { $0.key.hasPrefix("thumbnail_jobs_total{") }.values.reduce(0, +)
        #expect(ends == 10, "each claim ends once")
        #expect(scrape.attempts(in: "read") == 8, "also where nothing is there to read")
        for stage in ["wait", "decode", "resample", "encode", "write"] {
            #expect(scrape.attempts(in: stage) == 6)
        }
        let decoding = results.compactMap(\.timings?.decode).reduce(0, +) / 1_000
        let sum = try #require(scrape[#"thumbnail_job_stage_seconds_sum{stage="decode"}"#])
        #expect(abs(sum - decoding) < 0.000_01)
        #expect(scrape["thumbnail_job_footprint_bytes_count"] == 6)
        #expect(
            scrape["thumbnail_job_footprint_bytes_sum"]
                == Double(results.compactMap(\.footprintBytes).reduce(0, +)))
        #expect(
            scrape["thumbnail_source_bytes_total"] == Double(6 * Fixture.bytes("landscape-420.jpg").count))
        let written = results.flatMap { $0.outputs ?? [] }.map(\.bytes).reduce(0, +)
        #expect(written > 0 && scrape["thumbnail_output_bytes_total"] == Double(written))
        let budget = try #require(scrape["thumbnail_memory_budget_bytes"])
        let peak = try #require(scrape["thumbnail_memory_reserved_peak_bytes"])
        let reserved = try #require(scrape["thumbnail_memory_reserved_bytes"])
        #expect(budget == 32 * 1_048_576 && reserved <= peak && peak <= budget)
        #expect(peak >= Double(results.compactMap(\.footprintBytes).max() ?? .max))
        #expect(scrape["thumbnail_redis_round_trip_seconds_count"] ?? 0 >= 18, "a claim and a settling each")
        try await expectTheProcess(worker, in: scrape)
        try await expectPeakInStatus(fleet, worker, atLeast: peak)
        await fleet.stop([worker])
    }

    @Test func `an attempt that fails counts in the stages that it came to, and in no others`() async throws {
        let fleet = try await TestFleet(pictures: ["a.jpg": "landscape-420.jpg", "cut.jpg": "cut-half.jpg"])
        try fleet.write([], to: "../thumbs/x.jpg/inside")
        let worker = try fleet.askableWorker()
        try await fleet.push(#"{"source":"cut.jpg","pt":"9x9","scale":1}"#)
        let cut = try await fleet.scrape(worker, until: "the cut one to be counted") {
            $0.jobs("buried", "truncated_image") == 1
        }
        let stages = ["wait", "read", "decode", "resample", "encode", "write"]
        #expect(stages.map { cut.attempts(in: $0) } == [1, 1, 1, 0, 0, 0])
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"output":"x.jpg"}"#)
        let unwritable = try await fleet.scrape(worker, until: "an attempt to write to be counted") {
            $0.jobs("retried", "output_unwritable") ?? 0 > 0
        }
        let writes = try #require(unwritable.attempts(in: "write"))
        #expect(writes >= 1 && stages.allSatisfy { unwritable.attempts(in: $0) ?? 0 >= writes })
        await fleet.stop([worker])
    }

    private func expectTheProcess(_ worker: ChildProcess, in scrape: Scrape) async throws {
        let resident = try #require(scrape["process_resident_memory_bytes"])
        let peak = try #require(scrape["process_resident_memory_peak_bytes"])
        #expect(abs(resident - Double(worker.memory("VmRSS"))) < 4 * 1_048_576)
        #expect(resident <= peak && peak <= Double(worker.memory("VmHWM")))
        let used = worker.processorTime / .seconds(1)
        let counted = try #require(scrape["process_cpu_seconds_total"])
        #expect(counted > 0 && counted <= used + 0.02)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker.pid)/fd").count
        // The connection of the scrape is closed by now.
        #expect(abs((scrape["process_open_fds"] ?? 0) - Double(open)) <= 2)
        let age = Date().timeIntervalSince1970 - (scrape["process_start_time_seconds"] ?? 0)
        #expect((0.0...120).contains(age))
        #expect(scrape.text.contains(#"thumbnail_build_info{version="0.1.0",worker="w"#))
    }

    private func expectPeakInStatus(
        _ fleet: TestFleet, _ worker: ChildProcess, atLeast peak: Double
    ) async throws {
        let id = try await fleet.id(of: worker).description
        try await eventually("the peak in the status") {
            let told = try await fleet.operators.status().infos[id]?["reserved_peak_bytes"]
            return Double(told ?? "") ?? 0 >= peak ? () : nil
        }
    }

    @Test func `figures of the queue are those of the whole fleet, whoever is asked`() async throws {
        let fleet = try await TestFleet()
        let workers = try [fleet.askableWorker(), fleet.askableWorker()]
        for worker in workers { try await fleet.untilAsleep(worker) }
        try await fleet.operators.pause(because: "a test")
        for worker in workers { try await fleet.untilRenewed(1, worker) }
        for number in 0..<5 { try await fleet.push(TestFleet.job("\(number)")) }
        for worker in workers {
            try await fleet.scrape(worker, until: "the paused queue") { scrape in
                let queue = "{queue=\"thumbnails\"}"
                return scrape.queue("waiting") == 5 && scrape.queue("running") == 0
                    && scrape["thumbnail_queue_workers" + queue] == 2
                    && scrape["thumbnail_queue_paused" + queue] == 1
                    && (scrape["thumbnail_queue_oldest_age_seconds" + queue] ?? 0) > 0
            }
        }
        try await fleet.operators.resume()
        _ = try await fleet.results(5)
        for worker in workers {
            try await fleet.scrape(worker, until: "the queue to be empty") { scrape in
                scrape.queue("waiting") == 0
                    && scrape[#"thumbnail_queue_oldest_age_seconds{queue="thumbnails"}"#] == 0
                    && scrape[#"thumbnail_queue_paused{queue="thumbnails"}"#] == 0
            }
        }
        await fleet.stop(workers)
    }

    @Test
    func `a worker that froze beyond its lease counts the loss, and its heir the job that it took back`()
        async throws
    {
        let environment = ["THUMBNAIL_TEST_LEASE_MS": "1500"]
        let fleet = try await TestFleet()
        let frozen = try fleet.askableWorker(
            environment: environment.merging(["THUMBNAIL_FAILPOINT": "rendered=stop"]) { $1 })
        try await fleet.push(TestFleet.job("lost"))
        try await fleet.untilHolding(1, frozen)
        let heir = try fleet.askableWorker(environment: environment)
        _ = try await fleet.results(1)
        try await fleet.scrape(heir, until: "the job to be counted as taken back") {
            $0["thumbnail_jobs_reclaimed_total"] == 1 && $0["thumbnail_leases_lost_total"] == 0
        }
        frozen.send(18)
        try await fleet.scrape(frozen, until: "the loss to be counted") {
            $0["thumbnail_leases_lost_total"] == 1 && $0.jobs("stale") == 1
                // Its work was in vain, and took its time all the same.
                && $0.attempts(in: "decode") == 1
        }
        await fleet.stop([frozen, heir])
    }

    @Test func `docs/operating.md names every metric with its type and labels, and no other`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker()
        try await fleet.push(TestFleet.job("one"))
        let scrape = try await fleet.scrape(worker, until: "the queue to be known") {
            $0.queue("waiting") != nil && $0.jobs("finished") == 1
        }
        var documented: [String: [String]] = [:]
        for line in Documentation.lines(of: "docs/operating.md") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.replacing("`", with: "").filter { $0 != " " } }
            guard cells.count == 4, cells[0].hasPrefix("thumbnail_") || cells[0].hasPrefix("process_") else {
                continue
            }
            #expect(documented[cells[0]] == nil, "\(cells[0]) has two rows")
            documented[cells[0]] = [cells[1]] + cells[2].split(separator: ",").map(String.init).sorted()
        }
        let exposed = scrape.types.map { ($0, [$1] + (scrape.labels[$0] ?? []).sorted()) }
        #expect(documented == Dictionary(exposed) { $1 })
        // Everything is known of a worker that works.
        #expect(Set(scrape.labels.keys) == Set(scrape.types.keys))
        await fleet.stop([worker])
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("promtool")))
    func `Prometheus' own check has nothing to say about them`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.askableWorker(["--queue", #"q"u\o"#])
        let scrape = try await fleet.scrape(worker, until: "the queue to be known") {
            $0.text.contains("thumbnail_queue_workers{")
        }
        let page = fleet.folder.path + "/metrics"
        try Data(scrape.text.utf8).write(to: URL(filePath: page))
        let check = try ChildProcess("sh", ["-c", "promtool check metrics < '\(page)'"])
        #expect(await check.wait() == .status(0))
        #expect(check.standardOutput + check.standardError == "")
        await fleet.stop([worker])
    }
}
