import FleetSupport
import JobQueue
import TestSupport
import Testing

/// A queue that is paused while workers sleep in Redis, where they cannot see it.
struct PauseTests {
    @Test(arguments: ["claim", "brpop"])
    func `a worker that sleeps when its queue is paused takes no more than one job`(fetch: String)
        async throws
    {
        let fleet = try await TestFleet()
        let worker = try fleet.worker(["--fetch", fetch])
        try await fleet.untilAsleep(worker)
        try await fleet.operators.pause(because: "a test")
        let count = 30
        for number in 0..<count {
            try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"\#(number)"}"#)
            // So slow that a worker which does not know would have gone to sleep again before the next.
            try await Task.sleep(for: .milliseconds(20))
        }
        try await fleet.untilRenewed(2, worker)
        let audit = try await fleet.operators.audit()
        #expect(audit.waiting >= count - 1, "\(audit)")
        try await fleet.operators.resume()
        #expect(try await fleet.results(count).count == count)
        try await eventually("the worker to say that it goes on") {
            worker.standardError.contains("queue.resumed") ? () : nil
        }
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        let log = worker.standardError
        #expect(log.ranges(of: "queue.paused").count == 1 && log.contains("a test"), "\(log)")
        #expect(log.ranges(of: "queue.resumed").count == 1, "\(log)")
        try await fleet.expectAllSettled()
    }

    @Test(arguments: ["claim", "brpop"])
    func `a worker that starts on a paused queue takes nothing and leaves when told to`(
        fetch: String
    ) async throws {
        let fleet = try await TestFleet()
        try await fleet.operators.pause(because: "a test")
        for number in 0..<5 {
            try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"\#(number)"}"#)
        }
        let worker = try fleet.worker(["--fetch", fetch])
        try await fleet.untilRenewed(2, worker)
        #expect(try await fleet.operators.audit().waiting == 5)
        let start = ContinuousClock.now
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(ContinuousClock.now - start < .seconds(1))
        try await fleet.expectConservation()
    }
}
