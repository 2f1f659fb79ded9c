import Glibc
import Redis
@testable import TestSupport
import Testing

/// The proxy itself: each of its faults does what it says, and nothing else.
struct FaultProxyTests {
    @Test(arguments: [false, true])
    func `what passes is unchanged and counted by name and by connection`(tcp: Bool) async throws {
        let redis = try await PrivateRedis()
        let script = RedisScript(name: "sum", source: Array("return 1 + 1".utf8))
        let proxy = try FaultProxy(
            before: redis.address, tcp: tcp, scripts: [script.sha1: script.name])
        let clients = [RedisClient(proxy.address, name: "a"), RedisClient(proxy.address, name: "b")]
        let word = String(repeating: "x\r\n$3", count: 20_000)
        for client in clients {
            _ = try await client.run(script, keys: [], arguments: [], mayBeReplayed: true)
            let replies = try await client.pipeline((0..<50).map { _ in RedisCommand("ECHO", word) })
            #expect(replies.count == 50 && replies.allSatisfy { $0.text == word })
            #expect(try await client.call(RedisCommand("GET", "none")) == .null)
            #expect(try await client.call(RedisCommand("CLIENT", "GETNAME")).text != nil)
        }
        let seen = proxy.seen
        #expect(seen.byName["ECHO"] == 100 && seen.byName["GET"] == 2)
        // The second client finds the script that the first one had to send.
        #expect(seen.byName["sum"] == 3)
        #expect(seen.byConnection.count == 2 && seen.byConnection.values.reduce(0, +) == seen.total)
    }

    @Test func `a frozen proxy passes nothing and closes nothing`() async throws {
        let bench = try await Bench()
        let connection = bench.client.connectionID
        bench.proxy.freeze()
        let reply = Task { try await bench.client.call(RedisCommand("INCR", "n")) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(try await bench.ask(RedisCommand("GET", "n")) == .null)
        bench.proxy.thaw()
        #expect(try await reply.value == .integer(1))
        #expect(bench.client.connectionID == connection)
    }

    @Test func `a cut ends every connection, and new ones work`() async throws {
        let bench = try await Bench()
        let (other, first) = (RedisClient(bench.proxy.address, name: "other"), bench.client.connectionID)
        _ = try await other.callWhenUp(RedisCommand("PING"))
        let blocked = Task {
            try await other.call(RedisCommand("BLPOP", "none", "10", blocksFor: .seconds(10)))
        }
        try await untilSeen("BLPOP", bench.proxy)
        bench.proxy.cut()
        await #expect(throws: RedisError.self) { try await blocked.value }
        #expect(
            try await bench.client.callWhenUp(RedisCommand("PING", mayBeReplayed: true)) == .status("PONG"))
        #expect(bench.client.connectionID != first)
        #expect(bench.proxy.seen.byConnection.count >= 3)
    }

    @Test(arguments: [false, true])
    func `who is refused cannot connect, and who is connected stays`(tcp: Bool) async throws {
        let bench = try await Bench(tcp: tcp)
        bench.proxy.refuse()
        let late = RedisClient(bench.proxy.address, name: "late", limits: quick)
        await #expect(throws: RedisError.self) {
            while true { _ = try await late.call(RedisCommand("PING")) }
        }
        #expect(try await bench.client.call(RedisCommand("PING")) == .status("PONG"))
        bench.proxy.accept()
        #expect(try await late.callWhenUp(RedisCommand("PING")) == .status("PONG"))
    }

    @Test func `each direction is late by its delay, however much passes`() async throws {
        let bench = try await Bench()
        bench.proxy.delay(requests: .milliseconds(300), replies: .milliseconds(200))
        let start = ContinuousClock.now
        let calls = Task {
            try await bench.client.pipeline((0..<100).map { RedisCommand("LPUSH", "l", "\($0)") })
        }
        try await untilSeen("LPUSH", bench.proxy)
        #expect(try await bench.ask(RedisCommand("EXISTS", "l")) == .integer(0))
        #expect(try await calls.value.last == .integer(100))
        let took = ContinuousClock.now - start
        #expect(took >= .milliseconds(500) && took < .seconds(5), "\(took)")
    }

    @Test func `swallowed replies are lost, and what was asked is done`() async throws {
        let bench = try await Bench(limits: quick)
        bench.proxy.swallowReplies()
        await #expect(throws: RedisError.timedOut(after: quick.call)) {
            try await bench.client.call(RedisCommand("SET", "k", "v"))
        }
        #expect(try await bench.ask(RedisCommand("GET", "k")).text == "v")
        bench.proxy.swallowReplies(false)
        #expect(try await bench.client.callWhenUp(RedisCommand("GET", "k", mayBeReplayed: true)).text == "v")
    }

    @Test func `a cut before a command leaves it undone, and what came before it done`() async throws {
        let bench = try await Bench()
        bench.proxy.plan(.cut, .before, command: 3)
        await #expect(throws: RedisError.self) {
            try await bench.client.pipeline((1...5).map { RedisCommand("LPUSH", "l", "\($0)") })
        }
        #expect(bench.proxy.hit?.command == "LPUSH")
        // Redis may still be at it.
        let list = try await bench.ask(RedisCommand("LRANGE", "l", "0", "-1")).array ?? []
        #expect(list.map(\.text) == ["2", "1"])
    }

    @Test func `a cut after a command leaves it done and its reply lost`() async throws {
        let bench = try await Bench()
        bench.proxy.plan(.cut, .after, command: 2, named: "INCR")
        #expect(try await bench.client.call(RedisCommand("INCR", "n")) == .integer(1))
        #expect(try await bench.client.call(RedisCommand("PING")) == .status("PONG"))
        #expect(bench.proxy.hit == nil)
        await #expect(throws: RedisError.self) { try await bench.client.call(RedisCommand("INCR", "n")) }
        #expect(bench.proxy.hit == FaultProxy.Hit(command: "INCR", connection: 1))
        #expect(try await bench.ask(RedisCommand("GET", "n")).text == "2")
        // It strikes once.
        #expect(try await bench.client.callWhenUp(RedisCommand("INCR", "n")) == .integer(3))
    }

    @Test func `a cut amid a reply passes half of it`() async throws {
        let bench = try await Bench()
        bench.proxy.plan(.cut, .amid, command: 2, named: "ECHO")
        let descriptor = ProxySocket.connected(to: bench.proxy.address.endpoint)
        defer { _ = close(descriptor) }
        let request = "*2\r\n$4\r\nECHO\r\n$8\r\n12345678\r\n"
        #expect(
            ProxySocket.write(Array((request + request).utf8)[...], to: descriptor) == request.utf8.count * 2)
        var received: [UInt8] = []
        while let bytes = ProxySocket.read(descriptor) {
            received += bytes
            await Task.yield()
        }
        #expect(String(decoding: received, as: UTF8.self) == "$8\r\n12345678\r\n$8\r\n123")
    }

    @Test(arguments: FaultProxy.Moment.allCases)
    func `a command that is held goes on when it is let go, and never when it is cut`(
        moment: FaultProxy.Moment
    ) async throws {
        let bench = try await Bench()
        let done = moment == .before ? "0" : "1"
        for letsGo in [true, false] {
            _ = try await bench.ask(RedisCommand("SET", "n", "0"))
            bench.proxy.plan(.hold, moment, command: 1, named: "INCR")
            let call = Task { try await bench.client.callWhenUp(RedisCommand("INCR", "n")) }
            #expect(await bench.proxy.untilHit(atMost: .seconds(5))?.command == "INCR")
            #expect(try await bench.ask(RedisCommand("GET", "n")).text == done)
            if letsGo {
                bench.proxy.thaw()
                #expect(try await call.value == .integer(1))
            } else {
                bench.proxy.cut()
                await #expect(throws: RedisError.self) { try await call.value }
                #expect(try await bench.ask(RedisCommand("GET", "n")).text == done)
            }
        }
    }

    private let quick = {
        var limits = RedisLimits()
        limits.call = .milliseconds(300)
        limits.longestPause = .milliseconds(100)
        return limits
    }()

    private func untilSeen(_ command: String, _ proxy: FaultProxy) async throws {
        for _ in 0..<500 where proxy.seen.byName[command] == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(proxy.seen.byName[command] != nil)
    }
}

/// A Redis, a proxy before it, and a client that is connected through the proxy.
private struct Bench {
    let redis: PrivateRedis
    let proxy: FaultProxy
    let client: RedisClient

    init(tcp: Bool = false, limits: RedisLimits = RedisLimits()) async throws {
        redis = try await PrivateRedis()
        proxy = try FaultProxy(before: redis.address, tcp: tcp)
        client = RedisClient(proxy.address, name: "proxied", limits: limits)
        _ = try await client.callWhenUp(RedisCommand("PING"))
    }

    /// Asks Redis itself.
    func ask(_ command: RedisCommand) async throws -> RedisReply { try await redis.client().call(command) }
}
