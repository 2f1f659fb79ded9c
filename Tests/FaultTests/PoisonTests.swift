import FleetSupport
import JobQueue
import TestSupport
import Testing

/// A picture that ends every process that opens it, as a decoder with a bug would.
struct PoisonTests {
    @Test func `a poisonous job ends three workers and no more, and the fleet does all the others`()
        async throws
    {
        let fleet = try await TestFleet(pictures: [
            "a.jpg": "landscape-420.jpg", "poison.jpg": "portrait-422.jpg",
        ])
        let count = 60
        for number in 0..<count {
            if number == count / 3 {
                try await fleet.push(#"{"source":"poison.jpg","pt":"30x30","scale":1,"id":"poison"}"#)
            }
            try await fleet.push(#"{"source":"a.jpg","pt":"200x200","scale":1,"id":"\#(number)"}"#)
        }
        let lives = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<3 { group.addTask { try await supervise(fleet) } }
            return try await group.reduce([], +)
        }
        #expect(lives.count == 3 + 3, "three crashed, three went on to the end")
        let burials = lives.joined().split(separator: "\n").filter {
            $0.contains("job.buried") && $0.contains("worker_crashed")
        }
        #expect(burials.count == 1)
        for fact in [#""id":"poison""#, #""source":"poison.jpg""#, "OOM killer"] {
            #expect(burials.allSatisfy { $0.contains(fact) }, "\(burials)")
        }
        let results = try await fleet.results(count + 1)
        #expect(results.count == count + 1 && Set(results.map(\.id)).count == count + 1)
        for result in results where result.id != "poison" { #expect(result.status == .done, "\(result)") }
        let poison = try #require(results.first { $0.id == "poison" })
        #expect(poison.error?.code == .workerCrashed && poison.attempt == 3)
        // The crash may meet a neighbour while it writes.
        try await fleet.expectAllSettled(unfinished: nil)
    }

    /// Starts a worker again whenever it has crashed, as an init system does, until one has nothing more to do.
    /// Answers the log of each.
    private func supervise(_ fleet: TestFleet) async throws -> [String] {
        var logs: [String] = []
        while true {
            let worker = try fleet.worker(
                ["--drain"],
                environment: [
                    "THUMBNAIL_FAILPOINT": "inspected=abort:poison.jpg", "THUMBNAIL_TEST_LEASE_MS": "2000",
                ])
            let exit = await worker.wait(atMost: .seconds(60))
            logs.append(worker.standardError)
            // Abort's signal, or one of Swift's backtracer, which trips over threads that block signals.
            if case .signal = exit { continue }
            #expect(exit == .status(0), "\(worker.standardError)")
            return logs
        }
    }
}
