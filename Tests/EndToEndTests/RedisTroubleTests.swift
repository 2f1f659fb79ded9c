import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// Redis away, frozen, full or set up wrongly, and what a worker costs it.
struct RedisTroubleTests {
    @Test func `a frozen Redis is outwaited`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        for number in 0..<60 {
            try await fleet.push(#"{"source":"a.jpg","pt":"300x300","scale":1,"id":"\#(number)"}"#)
        }
        _ = try await fleet.results(5)
        fleet.redis.freeze()
        try await Task.sleep(for: .seconds(7))
        fleet.redis.thaw()
        let results = try await fleet.results(60)
        #expect(Set(results.map(\.id)).count == 60 && results.count == 60)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `a full Redis is drained to the last job`() async throws {
        let fleet = try await TestFleet(configuration: ["--maxmemory-policy", "noeviction"])
        for number in 0..<300 {
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory", "1mb"))
        let worker = try fleet.worker()
        _ = try await eventually("an empty queue") {
            let audit = try await fleet.operators.audit()
            return audit.waiting + audit.running == 0 ? audit : nil
        }
        #expect(try await fleet.results(300).count == 300)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectConservation()
    }

    @Test func `a job costs two round trips`() async throws {
        let fleet = try await TestFleet()
        for number in 0..<200 {
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
        }
        _ = try await fleet.client.call(RedisCommand("CONFIG", "RESETSTAT"))
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        let sent = try await workerCommands(fleet)
        // Besides: checks at the start, a renewal every 2.5 s, a look whether all is done, leaving.
        #expect(sent <= 2 * 200 + 40, "\(sent)")
    }

    @Test func `jobs that come one by one cost two round trips as well`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1}"#)
        _ = try await fleet.results(1)
        let before = try await workerCommands(fleet)
        let start = ContinuousClock.now
        for number in 0..<50 {
            try await eventually("the worker to sleep in Redis") {
                let clients = try await fleet.client.call(RedisCommand("CLIENT", "LIST")).text ?? ""
                return clients.contains("cmd=blmove") ? () : nil
            }
            try await fleet.push(#"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(number)"}"#)
            _ = try await fleet.results(number + 2)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let sent = try await workerCommands(fleet) - before
        #expect(sent <= 2 * 50 + Int(seconds) + 5, "\(sent) in \(seconds) s")
        worker.send(15)
        #expect(await worker.wait() == .status(0))
    }

    @Test func `a worker whose password is no longer right says so once, and goes on when it is right again`()
        async throws
    {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "requirepass", "new-and-secret"))
        _ = try await fleet.client.call(
            RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        try await eventually("the worker to say what it lacks") {
            worker.standardError.contains("redis.outage_goes_on") ? () : nil
        }
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "requirepass", ""))
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1}"#)
        #expect(try await fleet.results(1)[0].status == .done)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        let lines = worker.standardError.split(separator: "\n")
        let told = lines.filter { $0.contains("redis.outage_goes_on") }
        #expect(told.count == 1 && told.allSatisfy { $0.contains("REDIS_URL") && $0.contains("NOAUTH") })
        #expect(lines.filter { $0.contains("redis.outage_began") }.count == 1)
        #expect(lines.filter { $0.contains("redis.outage_ended") }.count == 1)
    }

    @Test func `a worker whose access list lacks something says what helps, and that helps`() async throws {
        let fleet = try await TestFleet()
        func acl(_ words: [String]) async throws {
            var command = RedisCommand("ACL", "SETUSER", "me")
            for word in words { command.append(word) }
            _ = try await fleet.client.call(command)
        }
        try await acl(["on", ">geheim", "+@connection"])
        let address = "unix://me:geheim@\(fleet.redis.socket)"
        let refused = try fleet.worker(redis: address)
        #expect(await refused.wait() == .status(78))
        let advice = try #require(refused.standardError.firstRange(of: "ACL SETUSER me "))
        let words = refused.standardError[advice.upperBound...].prefix { $0 != "\n" }.split(separator: " ")
        try await acl(words.map { $0.filter { $0 != "'" } })
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1}"#)
        let worker = try fleet.worker(redis: address)
        #expect(try await fleet.results(1)[0].status == .done)
        try await fleet.untilAsleep(worker)
        // Taken away while it works: it is not mute, and tells each trouble once.
        try await acl(["-@scripting"])
        try await eventually("the worker to say what it lacks") {
            worker.standardError.contains("lease.not_renewed") ? () : nil
        }
        #expect(worker.standardError.contains("ACL SETUSER me"))
        try await acl(["+@scripting"])
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        #expect(worker.standardError.ranges(of: "lease.not_renewed").count == 1, "\(worker.standardError)")
        #expect(worker.standardError.ranges(of: "claim.failed").count <= 1, "\(worker.standardError)")
        try await fleet.expectAllSettled()
    }

    @Test func `what a person has to mend is said at the start`() async throws {
        let fleet = try await TestFleet()
        let nowhere = try fleet.worker(redis: "unix://\(fleet.folder.path)/no.sock")
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"))
        let evicting = try fleet.worker()
        #expect(await evicting.wait() == .status(78))
        #expect(evicting.standardError.contains("noeviction"))
        let allowed = try fleet.worker(["--allow-eviction", "--drain"])
        #expect(await allowed.wait() == .status(0))
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "maxmemory-policy", "noeviction"))
        _ = try await fleet.client.call(RedisCommand("SET", fleet.keys.workers, "mine"))
        let confused = try fleet.worker()
        #expect(await confused.wait() == .status(78))
        #expect(confused.standardError.contains(fleet.keys.workers))
        _ = try await fleet.client.call(RedisCommand("DEL", fleet.keys.workers))
        _ = try await fleet.client.call(RedisCommand("CONFIG", "SET", "requirepass", "secret-of-ours"))
        let stranger = try fleet.worker()
        #expect(await stranger.wait() == .status(78))
        #expect(stranger.standardError.contains("password"))
        #expect(await nowhere.wait() == .status(69))
        #expect(nowhere.standardError.contains("no.sock"))
    }

    /// Commands that workers send, by their names: no other client of these tests uses them.
    private func workerCommands(_ fleet: TestFleet) async throws -> Int {
        let commands = try await fleet.commands()
        return commands["evalsha", default: 0] + commands["blmove", default: 0]
            + commands["lrange", default: 0]
            + commands["client|unblock", default: 0]
    }
}
