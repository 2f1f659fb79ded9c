import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// What happens to jobs when workers are killed, frozen and told to stop.
struct DeliveryTests {
    @Test func `a killed worker's jobs run again within fifteen seconds, each published once`() async throws {
        let fleet = try await TestFleet()
        let victim = try fleet.worker()
        let count = 300
        for number in 0..<count {
            try await fleet.push(
                #"{"source":"a.jpg","pt":"\#(100 + number % 100)x300","scale":1,"id":"\#(number)"}"#)
        }
        _ = try await fleet.results(20)
        victim.send(9)
        #expect(await victim.wait() == .signal(9))
        let killed = ContinuousClock.now
        let held = try await fleet.operators.audit().running
        let heir = try fleet.worker()
        // Back in the queue within the promised time; then they take the time that they take.
        try await eventually(within: .seconds(20), "the held jobs to be back") {
            let audit = try await fleet.operators.audit()
            return audit.counters["reclaimed", default: 0] == held ? () : nil
        }
        #expect(ContinuousClock.now - killed < .seconds(15))
        let results = try await fleet.results(count)
        #expect(Set(results.map(\.id)).count == count && results.count == count)
        #expect(results.allSatisfy { $0.status == .done })
        #expect(results.count { ($0.attempt ?? 0) > 1 } == held)
        try await fleet.expectConservation()
        // Where the victim had done everything, the heir may not yet be there to hear a signal.
        _ = try await fleet.id(of: heir)
        heir.send(15)
        let exit = await heir.wait()
        #expect(exit == .status(0))
    }

    @Test func `a worker that froze beyond its lease publishes nothing twice`() async throws {
        let fleet = try await TestFleet()
        let frozen = try fleet.worker()
        for number in 0..<200 {
            try await fleet.push(#"{"source":"a.jpg","pt":"300x300","scale":1,"id":"\#(number)"}"#)
        }
        _ = try await fleet.results(10)
        frozen.send(19)
        let heir = try fleet.worker()
        let results = try await fleet.results(200)
        frozen.send(18)
        frozen.send(15)
        #expect(await frozen.wait() == .status(0))
        heir.send(15)
        #expect(await heir.wait() == .status(0))
        #expect(Set(results.map(\.id)).count == 200)
        #expect(try await fleet.results(200).count == 200)
        try await fleet.expectConservation()
    }

    @Test func `an idle worker ends at once when it is told to`() async throws {
        let fleet = try await TestFleet()
        var times: [Duration] = []
        for _ in 0..<5 {
            let worker = try fleet.worker()
            try await eventually("the worker to sleep in Redis") {
                let clients = try await fleet.client.call(RedisCommand("CLIENT", "LIST")).text ?? ""
                return clients.contains("cmd=blmove") ? () : nil
            }
            let start = ContinuousClock.now
            worker.send(15)
            #expect(await worker.wait() == .status(0))
            times.append(ContinuousClock.now - start)
        }
        // The median: a worker that slept on takes seconds, a busy machine delays now and then.
        #expect(times.sorted()[2] < .milliseconds(200), "\(times)")
        #expect(try await fleet.client.call(RedisCommand("ZCARD", fleet.keys.workers)).integer == 0)
    }

    @Test func `told to stop, a busy worker finishes what runs and leaves the rest`() async throws {
        let fleet = try await TestFleet()
        for number in 0..<400 {
            try await fleet.push(#"{"source":"a.jpg","pt":"300x300","scale":[1,0.5],"id":"\#(number)"}"#)
        }
        let worker = try fleet.worker()
        _ = try await fleet.results(10)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        let audit = try await fleet.operators.audit()
        #expect(audit.running == 0 && audit.counters["released", default: 0] == 0)
        #expect(audit.waiting + audit.counters["finished", default: 0] == 400)
        try await fleet.expectConservation()
    }

    @Test func `a second signal gives everything back without counting an attempt`() async throws {
        let fleet = try await TestFleet()
        for number in 0..<400 {
            try await fleet.push(
                #"{"source":"a.jpg","pt":"300x300","scale":[1,0.9,0.8,0.7],"id":"\#(number)"}"#)
        }
        // A drain that would take an hour: only the second signal can end it.
        try fleet.write(SlowPicture.bytes(side: 4096), to: "slow.jpg")
        let worker = try fleet.worker(["--drain-timeout", "1h"])
        _ = try await fleet.results(5)
        _ = try await fleet.client.call(
            RedisCommand(
                "RPUSH", fleet.keys.queue, #"{"source":"slow.jpg","pt":"30x30","scale":1,"id":"slow"}"#))
        try await eventually("the slow job to be held") {
            try await fleet.held().contains { $0.contains("slow") } ? () : nil
        }
        worker.send(15)
        try await eventually("the worker to drain") {
            worker.standardError.contains("worker.draining") ? () : nil
        }
        worker.send(15)
        #expect(await worker.wait(atMost: .seconds(5)) == .status(0))
        #expect(worker.standardError.contains("worker.releasing"))
        let audit = try await fleet.operators.audit()
        #expect(audit.running == 0)
        #expect(audit.waiting + audit.counters["finished", default: 0] == 401)
        #expect(try await fleet.client.call(RedisCommand("HLEN", fleet.keys.attempts)).integer == 0)
        try await fleet.expectConservation()
        let heir = try fleet.worker(["--drain"])
        #expect(await heir.wait(atMost: .seconds(60)) == .status(0))
        let results = try await fleet.results(401)
        #expect(Set(results.map(\.id)).count == 401 && results.allSatisfy { $0.attempt == 1 })
    }

    @Test func `two workers share the work and double none of it`() async throws {
        let fleet = try await TestFleet()
        let workers = [try fleet.worker(), try fleet.worker()]
        for worker in workers {
            try await eventually("both to be there") {
                worker.standardError.contains("worker.started") ? () : nil
            }
        }
        for number in 0..<300 {
            try await fleet.push(#"{"source":"a.jpg","pt":"300x300","scale":[1,0.9,0.8],"id":"\#(number)"}"#)
        }
        let results = try await fleet.results(300)
        #expect(Set(results.map(\.id)).count == 300)
        let shares = Dictionary(grouping: results) { $0.worker ?? "" }.mapValues(\.count)
        #expect(shares.count == 2 && shares.values.allSatisfy { $0 >= 60 }, "\(shares)")
        for worker in workers {
            worker.send(15)
            #expect(await worker.wait() == .status(0))
        }
        try await fleet.expectConservation()
    }

    @Test func `plain BRPOP works and is accounted for`() async throws {
        let fleet = try await TestFleet()
        for number in 0..<50 {
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        let worker = try fleet.worker(["--fetch", "brpop", "--drain"])
        _ = try await fleet.results(50)
        #expect(await worker.wait() == .status(0))
        let commands = try await fleet.commands()
        #expect(commands["brpop", default: 0] >= 50 && commands["blmove"] == nil, "\(commands)")
        try await fleet.expectConservation()
    }

    @Test func `a paused queue keeps its jobs until it is resumed`() async throws {
        let fleet = try await TestFleet()
        try await fleet.operators.pause(because: "a test")
        let worker = try fleet.worker()
        try await eventually("the worker to be there") {
            worker.standardError.contains("worker.started") ? () : nil
        }
        for number in 0..<5 {
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        // Two renewals later it has had every chance.
        let before = try await fleet.commands()["hset", default: 0]
        try await eventually("two renewals") {
            try await fleet.commands()["hset", default: 0] >= before + 2 ? () : nil
        }
        #expect(try await fleet.operators.audit().waiting == 5)
        try await fleet.operators.resume()
        #expect(try await fleet.results(5).count == 5)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }
}
