import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// An operator's decisions, carried out by workers.
struct OperatorTests {
    private func operate(
        _ arguments: [String], on fleet: TestFleet, status: Int32 = 0
    ) async throws -> String {
        let program = try ChildProcess(
            BuiltProgram.path("fleet"), arguments, environment: ["REDIS_URL": fleet.url])
        #expect(await program.wait() == .status(status), "\(arguments): \(program.standardError)")
        return program.standardOutput
    }

    @Test func `failed jobs finish once their cause is mended and they are retried`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        let names = (0..<30).map { $0 % 3 == 0 ? "a.jpg" : "missing\($0).jpg" }
        try fleet.write(
            Array(names.map { fleet.sources + "/" + $0 }.joined(separator: "\n").utf8), to: "list")
        let arguments = ["--files-from", fleet.sources + "/list", "--pt", "9x9", "--batch", "b", "--wait"]
        let producer = try fleet.enqueue(arguments)
        #expect(await producer.wait() == .status(1))
        let status = try await operate(["status"], on: fleet, status: 1)
        #expect(status.contains(" failed, and not for their pictures: 20 source_not_found; last by "))
        #expect(status.contains("20 in the last 5 m: 20 source_not_found"))
        for name in Set(names) where name != "a.jpg" {
            try fleet.write(Fixture.bytes("landscape-420.jpg"), to: name)
        }
        let retried = try await operate(["retry", "--code", "source_not_found", "--yes"], on: fleet)
        #expect(retried == "retried 20 jobs\n")
        let results = try await fleet.results(50)
        #expect(results.suffix(20).allSatisfy { $0.status == .done && $0.attempt == 1 })
        let batch = try await ProducerQueue(fleet.keys, client: fleet.client).progress(ofBatch: "b")
        #expect((batch.total, batch.finished, batch.failed) == (30, 30, 0))
        let audit = try await operate(["audit"], on: fleet)
        #expect(audit.contains("50 jobs taken from the queue\n  = 30 finished + 20 buried + "))
        #expect(audit.contains("1 batch with a total, 1 of them settled, 0 jobs open"))
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectAllSettled()
    }
}
