import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// A Redis that stops taking writes, freezes or restarts under workers, and how workers log in.
struct FailoverTests {
    @Test func `a Redis that turns replica and master again is served within two seconds`() async throws {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        // The blocking move ends with UNBLOCKED, and what follows with READONLY. Nobody listens on port 1.
        _ = try await fleet.client.call(RedisCommand("REPLICAOF", "127.0.0.1", "1"))
        try await eventually("the worker to notice") {
            worker.standardError.contains("redis.outage_began") ? () : nil
        }
        _ = try await fleet.client.callWhenUp(RedisCommand("REPLICAOF", "NO", "ONE"))
        let back = ContinuousClock.now
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1}"#)
        _ = try await fleet.results(1)
        #expect(ContinuousClock.now - back < .seconds(2))
        #expect(worker.isRunning)
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        try await fleet.expectAllSettled()
    }

    @Test func `a Redis that froze is served two seconds after it thaws, with one line for each end`()
        async throws
    {
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        try await fleet.untilAsleep(worker)
        fleet.redis.freeze()
        try await Task.sleep(for: .seconds(8))
        fleet.redis.thaw()
        let back = ContinuousClock.now
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1}"#)
        _ = try await fleet.results(1)
        #expect(ContinuousClock.now - back < .seconds(2))
        try await eventually("the end of the outage") {
            worker.standardError.contains("redis.outage_ended") ? () : nil
        }
        worker.send(15)
        #expect(await worker.wait() == .status(0))
        let log = worker.standardError
        #expect(
            log.ranges(of: "redis.outage_began").count == 1 && log.ranges(of: "redis.outage_ended").count == 1
        )
        try await fleet.expectAllSettled()
    }

    @Test func `a password from the address or the environment opens Redis and is never told`() async throws {
        let redis = try await PrivateRedis(tcp: true, password: "s3cret-of-ours")
        guard case .tcp(let host, let port)? = redis.tcpAddress?.endpoint else {
            Issue.record("no TCP address")
            return
        }
        let folder = try TemporaryFolder()
        let arguments = ["--source-root", folder.path, "--output", folder.path + "/out"]
        let named = try ChildProcess(
            BuiltProgram.path("worker"),
            arguments + ["--drain", "--redis", "redis://:s3cret-of-ours@\(host):\(port)"])
        let inherited = try ChildProcess(
            BuiltProgram.path("worker"), arguments + ["--drain"],
            environment: ["REDIS_URL": "redis://default:s3cret-of-ours@\(host):\(port)"])
        let wrong = try ChildProcess(
            BuiltProgram.path("worker"),
            arguments + ["--redis", "redis://:another-s3cret@\(host):\(port)"])
        #expect(await named.wait() == .status(0))
        #expect(await inherited.wait() == .status(0))
        #expect(await wrong.wait() == .status(78))
        #expect(wrong.standardError.contains("password"))
        for worker in [named, inherited, wrong] { #expect(!worker.standardError.contains("s3cret")) }
    }

    @Test func `two queues of one Redis do not touch each other`() async throws {
        let fleet = try await TestFleet()
        let other = QueueKeys(queue: "others")
        try await fleet.push(#"{"source":"a.jpg","pt":"9x9","scale":1,"id":"ours"}"#)
        _ = try await fleet.client.call(
            RedisCommand("LPUSH", "others", #"{"source":"a.jpg","pt":"8x8","scale":1,"id":"theirs"}"#))
        let worker = try fleet.worker(["--queue", "others", "--drain"])
        #expect(await worker.wait() == .status(0))
        let operators = OperatorQueue(other, client: fleet.client)
        #expect(try await operators.audit().counters["finished"] == 1)
        #expect(try await fleet.operators.audit().waiting == 1)
        #expect(fleet.thumbnail("8x8@1x/a.jpg") != nil && fleet.thumbnail("9x9@1x/a.jpg") == nil)
    }
}
