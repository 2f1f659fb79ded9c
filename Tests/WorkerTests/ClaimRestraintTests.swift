import Testing
import Threading

@testable import Worker

/// What keeps the claim loop from running ahead of its own jobs.
struct ClaimRestraintTests {
    @Test func `nothing is claimed while as many thumbnails wait for the disk as may`() async {
        let writes = PendingWrites()
        let order = Watched<[String]>([])
        writes.begin()
        writes.begin()
        let claim = Task {
            await writes.untilFewer(than: 2)
            order.update { $0.append("claimed") }
        }
        // As often as it takes another task to run, if it may.
        for _ in 0..<100 { await Task.yield() }
        order.update { $0.append("written") }
        writes.end()
        await claim.value
        #expect(order.read { $0 } == ["written", "claimed"])
    }

    @Test func `nothing is claimed while as many jobs wait for a thread as may`() async {
        let jobs = JobTasks(on: BlockingThreads(name: "test"))
        let order = Watched<[String]>([])
        for _ in 0..<2 { jobs.start { order.update { $0.append("begun") } } }
        let claim = Task {
            await jobs.untilBegun(butFor: 1)
            order.update { $0.append("claimed") }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(order.read { $0 } == [], "nobody runs jobs yet")
        jobs.close()
        await jobs.run()
        await claim.value
        #expect(order.read { $0.filter { $0 == "begun" } }.count == 2)
        #expect(order.read { $0 }.contains("claimed"))
    }
}
