import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Connections are cut around every single command, and workers killed there.
struct CutTests {
    @Test(arguments: FaultProxy.Moment.allCases)
    func `wherever a connection is cut, the worker goes on and every job is settled once`(
        moment: FaultProxy.Moment
    ) async throws {
        let usual = try await CutScenario.undisturbed.value.commands
        try await forEachCommand(expecting: usual, moves: CutScenario.moves) { place -> String? in
            let scenario = try await CutScenario()
            scenario.proxy.plan(.cut, moment, command: place.number, named: place.name)
            let worker = try await scenario.start()
            let exit = await worker.wait(atMost: .seconds(60))
            let hit = scenario.proxy.hit?.command
            #expect(exit == .status(0), "\(place) \(hit ?? "") \(worker.standardError)")
            let results = try await scenario.expectVerdict()
            // A worker that lives runs what it has claimed, lost reply or not.
            #expect(
                results["plain"]?.attempt == 1 && results["buried"]?.attempt == 1, "\(place) \(hit ?? "")")
            return hit
        }
    }

    @Test(arguments: [FaultProxy.Moment.before, .after])
    func `whatever command a worker dies at, every job is settled once`(moment: FaultProxy.Moment)
        async throws
    {
        let usual = try await CutScenario.undisturbed.value.commands
        try await forEachCommand(expecting: usual, moves: CutScenario.moves) { place -> String? in
            let scenario = try await CutScenario()
            scenario.proxy.plan(.hold, moment, command: place.number, named: place.name)
            let worker = try await scenario.start()
            let hit = try await eventually(within: .seconds(60), "the command, or the end") {
                scenario.proxy.hit?.command ?? (worker.isRunning ? nil : "")
            }
            worker.send(9)
            #expect(await worker.wait() == (hit.isEmpty ? .status(0) : .signal(9)))
            scenario.proxy.cut()
            try await scenario.recover()
            _ = try await scenario.expectVerdict(unfinished: nil)
            return hit.isEmpty ? nil : hit
        }
    }

    @Test(arguments: FaultProxy.Moment.allCases)
    func `wherever the connection of enqueue is cut, every job is pushed once and its batch adds up`(
        moment: FaultProxy.Moment
    ) async throws {
        // Three chunks.
        let count = 1_200
        try await forEachCommand(expecting: 8, moves: ["enqueue"]) { place -> String? in
            let fleet = try await TestFleet()
            let proxy = try FaultProxy(before: fleet.redis.address, scripts: CutScenario.scriptNames)
            proxy.plan(.cut, moment, command: place.number, named: place.name)
            let list = fleet.sources + "/list"
            let names = (1...count).map { "\($0).jpg" }.joined(separator: "\n")
            try fleet.write(Array(names.utf8), to: "list")
            let enqueue = try ChildProcess(
                BuiltProgram.path("enqueue"),
                [
                    "--files-from", list, "--pt", "60x60", "--scale", "1", "--batch", "b", "--json",
                    "--redis", proxy.url,
                ])
            #expect(await enqueue.wait() == .status(0), "\(place) \(enqueue.standardError)")
            #expect(enqueue.standardOutput.contains("\"enqueued\":\(count)"))
            let keys = try await KeySpace(of: fleet.client)
            let queue = keys.list(fleet.keys.queue)
            #expect(
                queue.count == count && Set(queue).count == count, "\(place) \(proxy.hit?.command ?? "")")
            #expect(keys.hash(fleet.keys.batch("b"))["total"] == "\(count)")
            return proxy.hit?.command
        }
    }

    @Test func `plain BRPOP promises less, and says so`() async throws {
        let worker = try ChildProcess(BuiltProgram.path("worker"), ["--help"])
        #expect(await worker.wait() == .status(0))
        let text = worker.standardOutput.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("brpop takes it out at once, and a job whose worker dies is lost"))
    }
}
