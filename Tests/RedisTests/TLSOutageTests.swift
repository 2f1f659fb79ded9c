import Foundation
import Redis
import TLS
import TestSupport
import Testing

/// Trouble on the way: an encrypted connection may not behave otherwise than a plain one.
struct TLSOutageTests {
    @Test func `a frozen server times out, and the late answer is never taken for another`() async throws {
        let secure = try await SecureRedis()
        var limits = RedisLimits()
        limits.call = .milliseconds(200)
        limits.handshake = .milliseconds(200)
        let client = secure.client(limits: limits)
        _ = try await client.call(RedisCommand("SET", "k", "old"))
        secure.redis.freeze()
        let error = await #expect(throws: RedisError.self) {
            try await client.call(RedisCommand("GETSET", "k", "new"))
        }
        #expect(error == .timedOut(after: .milliseconds(200)))
        // Connecting anew ends in time, too: the handshake has the greeting's limit.
        let began = ContinuousClock.now
        let silent = await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
        #expect(silent?.isOutage == true && ContinuousClock.now - began < .seconds(2))
        secure.redis.thaw()
        #expect(try await client.callWhenUp(RedisCommand("ECHO", "mine")).text == "mine")
    }

    @Test func `a server that drips bytes cannot stretch a call's limit`() async throws {
        let secure = try await SecureRedis()
        let relay = try ByteRelay(before: secure.endpoint)
        defer { relay.close() }
        var limits = RedisLimits()
        limits.call = .milliseconds(300)
        let client = secure.client(port: relay.port, limits: limits)
        let word = String(repeating: "x", count: 20_000)
        #expect(try await client.call(RedisCommand("ECHO", word)).text == word)
        let first = try #require(client.connectionID)
        relay.drip(10)
        let began = ContinuousClock.now
        let error = await #expect(throws: RedisError.self) {
            try await client.call(RedisCommand("ECHO", word))
        }
        #expect(error == .timedOut(after: .milliseconds(300)))
        #expect(ContinuousClock.now - began < .seconds(2))
        relay.drip(nil)
        #expect(try await client.callWhenUp(RedisCommand("ECHO", "mine")).text == "mine")
        #expect(client.connectionID != first, "a connection that has failed is not used again")
    }

    @Test func `a connection that is cut within a record is lost, and made anew`() async throws {
        let secure = try await SecureRedis()
        let relay = try ByteRelay(before: secure.endpoint)
        defer { relay.close() }
        let client = secure.client(port: relay.port)
        _ = try await client.call(RedisCommand("PING"))
        relay.allow(100)
        async let lost = client.call(RedisCommand("ECHO", String(repeating: "x", count: 20_000)))
        // The server has done it, and part of its answer is on its way.
        let control = secure.redis.client()
        while try await !(control.call(RedisCommand("INFO", "commandstats")).text ?? "").contains("_echo:") {}
        relay.cut()
        do {
            _ = try await lost
            Issue.record("an answer that was cut")
        } catch {
            guard case .connectionLost? = error as? RedisError else {
                Issue.record("got \(error)")
                return
            }
        }
        // Not before the cut: the relay might pass the rest first.
        relay.allow(nil)
        #expect(try await client.callWhenUp(RedisCommand("ECHO", "mine")).text == "mine")
    }

    @Test func `closing ends a handshake that hangs`() async throws {
        let secure = try await SecureRedis()
        let relay = try ByteRelay(before: secure.endpoint)
        defer { relay.close() }
        relay.allow(0)
        var limits = RedisLimits()
        limits.handshake = .seconds(30)
        let client = secure.client(port: relay.port, limits: limits)
        let call = Task { try await client.callWhenUp(RedisCommand("PING")) }
        while relay.accepted == 0 { await Task.yield() }
        let began = ContinuousClock.now
        client.close()
        await #expect(throws: RedisError.self) { try await call.value }
        #expect(ContinuousClock.now - began < .seconds(5))
    }
}
