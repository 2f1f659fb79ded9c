import Redis
import Synchronization
import TestSupport
import Testing
import Threading

struct RedisClientTests {
    @Test func `bytes come back as they were sent`() async throws {
        let redis = try await PrivateRedis()
        let client = redis.client()
        let bytes: [UInt8] = [0, 255, 10, 13, 0xC3, 0x28]
        var set = RedisCommand("SET", "k")
        set.append(bytes)
        #expect(try await client.call(set) == .status("OK"))
        #expect(try await client.call(RedisCommand("GET", "k")) == .bytes(bytes))
        #expect(try await client.call(RedisCommand("GET", "none")) == .null)
        #expect(try await client.call(RedisCommand("ECHO", "")) == .bytes([]))
    }

    @Test func `a pipeline answers each command in its place`() async throws {
        let redis = try await PrivateRedis()
        let replies = try await redis.client().pipeline([
            RedisCommand("INCR", "n"), RedisCommand("LPUSH", "n", "x"), RedisCommand("INCR", "n"),
        ])
        #expect(replies.count == 3)
        #expect(replies[0] == .integer(1) && replies[2] == .integer(2))
        guard case .error(.wrongType) = replies[1] else {
            Issue.record("expected WRONGTYPE, got \(replies[1])")
            return
        }
    }

    @Test func `calls of many tasks get their own answers`() async throws {
        let redis = try await PrivateRedis()
        let client = redis.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let reply = try await client.call(RedisCommand("ECHO", "\(number)"))
                    #expect(reply.text == "\(number)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a large pipeline in both directions does not lock up`() async throws {
        let redis = try await PrivateRedis()
        let word = String(repeating: "x", count: 100_000)
        let replies = try await redis.client().pipeline((0..<200).map { _ in RedisCommand("ECHO", word) })
        #expect(replies.count == 200 && replies.allSatisfy { $0.bytes?.count == 100_000 })
    }

    @Test func `a script is sent again after the server forgot it`() async throws {
        let redis = try await PrivateRedis()
        let client = redis.client()
        let script = RedisScript(name: "sum", source: Array("return tonumber(ARGV[1]) + 1".utf8))
        for _ in 0..<2 {
            let reply = try await client.run(script, keys: [], arguments: [[0x34]], mayBeReplayed: true)
            #expect(reply == .integer(5))
            _ = try await client.call(RedisCommand("SCRIPT", "FLUSH"))
        }
    }

    @Test func `user and password are sent, and a wrong one is told apart`() async throws {
        let redis = try await PrivateRedis(password: "pass word")
        #expect(try await redis.client().call(RedisCommand("PING")) == .status("PONG"))
        let wrong = RedisClient(
            RedisAddress(redis.address.endpoint, user: "default", password: "no"), name: "t")
        let error = await #expect(throws: RedisError.self) { try await wrong.call(RedisCommand("PING")) }
        guard case .authenticationFailed = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.isOurFault == true)
    }

    @Test func `a database out of range is our fault`() async throws {
        let redis = try await PrivateRedis()
        let client = RedisClient(RedisAddress(redis.address.endpoint, database: 99), name: "t")
        let error = await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
        #expect(error?.isOurFault == true)
    }

    @Test func `nobody there fails at once and says where`() async throws {
        let client = RedisClient(RedisAddress(.unix(path: "/nowhere/redis.sock")), name: "t")
        let error = await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
        #expect(error?.isOutage == true)
        #expect(error?.description.contains("/nowhere/redis.sock") == true)
    }

    @Test func `a blocked pop is freed by its connection number`() async throws {
        let redis = try await PrivateRedis()
        let (waiter, other) = (redis.client("waiter"), redis.client("other"))
        _ = try await waiter.call(RedisCommand("PING"))
        let number = try #require(waiter.connectionID)
        async let popped = waiter.call(RedisCommand("BRPOP", "q", "30", blocksFor: .seconds(30)))
        while try await other.call(RedisCommand("CLIENT", "UNBLOCK", "\(number)")) == .integer(0) {}
        #expect(try await popped == .null)
    }

    @Test func `closing ends a blocked call at once`() async throws {
        let redis = try await PrivateRedis()
        let client = redis.client()
        _ = try await client.call(RedisCommand("PING"))
        let began = ContinuousClock.now
        let pop = Task { try await client.call(RedisCommand("BRPOP", "q", "30", blocksFor: .seconds(30))) }
        try await untilBlocked(1, redis)
        client.close()
        await #expect(throws: RedisError.self) { try await pop.value }
        #expect(ContinuousClock.now - began < .seconds(5))
        await #expect(throws: RedisError.cancelled) { try await client.call(RedisCommand("PING")) }
    }
}

struct RedisOutageTests {
    @Test func `work goes on within two seconds of a restart, with one event at each end`() async throws {
        let redis = try await PrivateRedis(tcp: true)
        let changes = Monitor<[RedisHealth.Change]>([])
        let health = RedisHealth { change in changes.update { $0.append(change) } }
        let clients = [redis.address, try #require(redis.tcpAddress)].map {
            RedisClient($0, name: "t", health: health)
        }
        for client in clients { _ = try await client.call(RedisCommand("PING")) }
        await redis.kill()
        let waiting = clients.map { client in
            Task { try await client.callWhenUp(RedisCommand("INCR", "n", mayBeReplayed: true)) }
        }
        // Fails fast while Redis is away.
        let began = changes.wait(atMost: .seconds(5)) { $0.isEmpty ? nil : true }
        #expect(began == true)
        try await redis.start()
        let answered = ContinuousClock.now
        for task in waiting { _ = try await task.value }
        #expect(ContinuousClock.now - answered < .seconds(2))
        for client in clients { _ = try await client.callWhenUp(RedisCommand("PING")) }
        let seen = changes.withLock { $0 }
        #expect(seen.count == 2)
        guard case .outageBegan = seen.first, case .outageEnded = seen.last else {
            Issue.record("got \(seen)")
            return
        }
    }

    @Test func `an outage whose cause becomes another is told again`() async throws {
        let redis = try await PrivateRedis()
        let told = Monitor<[RedisError]>([])
        let health = RedisHealth(onReminder: { error, _ in told.update { $0.append(error) } })
        let client = RedisClient(redis.address, name: "t", health: health)
        let other = redis.client()
        for client in [client, other] { _ = try await client.call(RedisCommand("PING")) }
        let pop = Task { try await client.call(RedisCommand("BRPOP", "q", "30", blocksFor: .seconds(30))) }
        try await untilBlocked(1, redis)
        _ = try await other.call(RedisCommand("CONFIG", "SET", "requirepass", "new"))
        _ = try await other.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        _ = await #expect(throws: RedisError.self) { try await pop.value }
        #expect(told.wait(atMost: .seconds(10)) { $0.isEmpty ? nil : true } == true)
        _ = try await other.call(RedisCommand("CONFIG", "SET", "requirepass", ""))
        _ = try await client.callWhenUp(RedisCommand("PING"))
        let errors = told.withLock { $0 }
        guard case .authenticationFailed? = errors.first, errors.count == 1 else {
            Issue.record("got \(errors)")
            return
        }
    }

    @Test func `a frozen server times out, and the late answer is never taken for another`() async throws {
        let redis = try await PrivateRedis()
        var limits = RedisLimits()
        limits.call = .milliseconds(200)
        limits.handshake = .milliseconds(200)
        let client = redis.client(limits: limits)
        _ = try await client.call(RedisCommand("SET", "k", "old"))
        redis.freeze()
        let error = await #expect(throws: RedisError.self) {
            try await client.call(RedisCommand("GETSET", "k", "new"))
        }
        #expect(error == .timedOut(after: .milliseconds(200)))
        redis.thaw()
        #expect(try await client.callWhenUp(RedisCommand("ECHO", "mine")).text == "mine")
    }

    @Test func `a command that may not be replayed reports that nobody knows`() async throws {
        let redis = try await PrivateRedis()
        var limits = RedisLimits()
        limits.call = .milliseconds(200)
        let client = redis.client(limits: limits)
        _ = try await client.call(RedisCommand("PING"))
        redis.freeze()
        let error = await #expect(throws: RedisError.self) {
            try await client.callWhenUp(RedisCommand("INCR", "n"))
        }
        #expect(error?.isAmbiguous == true)
        redis.thaw()
    }

    @Test func `a server that becomes a replica is an outage, not an answer`() async throws {
        let redis = try await PrivateRedis()
        let (blocked, writer, control) = (
            redis.client("blocked"), redis.client("writer"), redis.client("control")
        )
        _ = try await writer.call(RedisCommand("PING"))
        let pop = Task {
            try await blocked.call(
                RedisCommand("BLMOVE", "q", "w", "RIGHT", "LEFT", "20", blocksFor: .seconds(20)))
        }
        try await untilBlocked(1, redis)
        _ = try await control.call(RedisCommand("REPLICAOF", "127.0.0.1", "1"))
        let unblocked = await #expect(throws: RedisError.self) { try await pop.value }
        guard case .notServing(.unblocked, _) = unblocked else {
            Issue.record("got \(String(describing: unblocked))")
            return
        }
        let readOnly = await #expect(throws: RedisError.self) {
            try await writer.call(RedisCommand("SET", "k", "v"))
        }
        #expect(readOnly?.isOutage == true)
        let waiting = Task { try await writer.callWhenUp(RedisCommand("SET", "k", "v")) }
        _ = try await control.call(RedisCommand("REPLICAOF", "NO", "ONE"))
        #expect(try await waiting.value == .status("OK"))
    }

    @Test func `cancelling a task that waits out an outage ends its wait`() async throws {
        let client = RedisClient(RedisAddress(.unix(path: "/nowhere/redis.sock")), name: "t")
        let waiting = Task { try await client.callWhenUp(RedisCommand("PING")) }
        waiting.cancel()
        await #expect(throws: RedisError.cancelled) { try await waiting.value }
    }

    @Test func `a blocking client recovers by itself`() async throws {
        let redis = try await PrivateRedis()
        let outcomes = Monitor<[Bool]>([])
        let address = redis.address
        let thread = DedicatedThread(name: "lease") {
            let client = BlockingRedisClient(address, name: "lease")
            var runs: [Bool] = []
            // Works, fails, works again.
            while runs != [true, false, true] {
                let works: Bool
                do throws(RedisError) {
                    works = try client.call(RedisCommand("PING")) == .status("PONG")
                } catch {
                    works = !error.isOutage
                }
                if runs.last != works { runs.append(works) }
                let seen = runs
                outcomes.update { $0 = seen }
            }
        }
        func reached(_ expected: [Bool]) async -> Bool {
            await BlockingThreads.forTests.run {
                outcomes.wait(atMost: .seconds(10)) { $0 == expected ? true : nil } ?? false
            }
        }
        var isReached = await reached([true])
        #expect(isReached)
        await redis.kill()
        isReached = await reached([true, false])
        #expect(isReached)
        try await redis.start()
        isReached = await reached([true, false, true])
        #expect(isReached)
        thread.join()
    }
}

struct RedisErrorTests {
    @Test(arguments: [
        ("READONLY You can't write", true), ("LOADING Redis is loading", true),
        ("BUSY running a script", true),
        ("BUSYGROUP exists", false), ("NOPERM no", false), ("ERR syntax", false), ("OOM command", false),
        ("UNBLOCKED client", true), ("NOREPLICAS Not enough", true), ("WRONGTYPE Operation", false),
    ])
    func `passing states of a server are outages and our mistakes are not`(text: String, isOutage: Bool)
        async throws
    {
        // Through a real server: the reply is made by a script.
        let redis = try await PrivateRedis()
        var command = RedisCommand("EVAL", "return redis.error_reply(ARGV[1])", "0")
        command.append(text)
        let error = await #expect(throws: RedisError.self) { try await redis.client().call(command) }
        #expect(error?.isOutage == isOutage)
        #expect(error?.isOurFault == (!isOutage && !text.hasPrefix("OOM")))
    }
}

/// Waits until `count` clients are blocked in a pop.
private func untilBlocked(_ count: Int, _ redis: PrivateRedis) async throws {
    let client = redis.client("watch")
    while true {
        let info = try await client.call(RedisCommand("INFO", "clients")).text ?? ""
        if info.split(whereSeparator: \.isNewline).contains("blocked_clients:\(count)") { return }
    }
}
