import Redis
import TLS
import TestSupport
import Testing

/// Real sentinels, where nobody fails over: how the primary is found. `EndToEndTests.SentinelTests` kills it.
struct SentinelTests {
    @Test func `the primary is found through the first sentinel that is of use`() async throws {
        let group = try await PrivateSentinels(count: 1)
        let stranger = try await PrivateRedis(tcp: true)
        guard case .tcp(_, let foreignPort)? = stranger.tcpAddress?.endpoint else { return }
        let unused = try PrivateRedis.freePort()
        // Nobody listens on the first, the second is a Redis, the third is right.
        let client = try Self.client(ports: [unused, foreignPort, group.ports[0]])
        defer { client.close() }
        _ = try await client.call(RedisCommand("SET", "here", "yes"))
        #expect(try await group.primary.client().call(RedisCommand("GET", "here")).text == "yes")
    }

    @Test func `a name that no sentinel knows is our fault, and one that may be known elsewhere is not`()
        async throws
    {
        let group = try await PrivateSentinels(count: 1)
        let client = try Self.client(ports: group.ports, name: "others")
        defer { client.close() }
        let error = await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
        #expect(
            error
                == .unknownPrimary(
                    address: "sentinel://127.0.0.1:\(group.ports[0])/others", name: "others"))
        #expect(error?.isOurFault == true)
        let unsure = try Self.client(ports: group.ports + [try PrivateRedis.freePort()], name: "others")
        defer { unsure.close() }
        let outage = await #expect(throws: RedisError.self) { try await unsure.call(RedisCommand("PING")) }
        #expect(outage?.isOutage == true)
    }

    @Test func `sentinels have a password of their own`() async throws {
        let group = try await PrivateSentinels(count: 1)
        let sentinel = RedisClient(
            RedisAddress(.tcp(host: "127.0.0.1", port: group.ports[0])), name: "test")
        defer { sentinel.close() }
        _ = try await sentinel.call(RedisCommand("ACL", "SETUSER", "me", "on", ">two words", "+@all"))
        _ = try await sentinel.call(RedisCommand("ACL", "SETUSER", "default", "resetpass"))
        let place = "sentinel://127.0.0.1:\(group.ports[0])/\(PrivateSentinels.name)"
        let known = RedisClient(
            try RedisAddress(parsing: place + "?sentinel_user=me&sentinel_password=two%20words"), name: "t")
        defer { known.close() }
        #expect(try await known.call(RedisCommand("PING")) == .status("PONG"))
        let unknown = RedisClient(try RedisAddress(parsing: place), name: "t")
        defer { unknown.close() }
        let error = await #expect(throws: RedisError.self) { try await unknown.call(RedisCommand("PING")) }
        guard case .authenticationFailed? = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `with TLS the sentinels prove who they are, too`() async throws {
        let authority = try await TestAuthority()
        let pair = try await authority.issue("redis", for: ["IP:127.0.0.1"])
        let (plainPort, securePort) = (try PrivateRedis.freePort(), try PrivateRedis.freePort())
        // The primary, and a sentinel that names it by the port on which it speaks TLS.
        let redis = try await PrivateRedis(configuration: authority.serving(pair, port: securePort))
        let folder = try TemporaryFolder()
        let sentinelPort = try PrivateRedis.freePort()
        let sentinel = try PrivateSentinels.lone(
            in: folder, port: plainPort,
            watching: securePort,
            words: authority.serving(pair, port: sentinelPort) + ["--tls-replication", "yes"])
        defer { sentinel.send(9) }
        let address = try RedisAddress(
            parsing: "sentinels://127.0.0.1:\(sentinelPort)/\(PrivateSentinels.name)")
        let client = RedisClient(
            address.with(transport: .tls(TLSFiles(authorities: authority.certificate))), name: "t")
        defer { client.close() }
        _ = try await client.callWhenUp(RedisCommand("SET", "here", "yes"))
        #expect(try await redis.client().call(RedisCommand("GET", "here")).text == "yes")
        let distrusting = RedisClient(address, name: "t")
        defer { distrusting.close() }
        let error = await #expect(throws: RedisError.self) {
            try await distrusting.call(RedisCommand("PING"))
        }
        #expect(
            error
                == .insecure(
                    address: "rediss://127.0.0.1:\(sentinelPort)",
                    .unknownAuthority(issuer: "/CN=Test Authority")))
    }

    @Test func `a sentinel that names a replica is not believed`() async throws {
        let group = try await PrivateSentinels(count: 1)
        let client = try Self.client(ports: group.ports)
        defer { client.close() }
        _ = try await client.call(RedisCommand("PING"))
        guard case .tcp(_, let port)? = group.replica.tcpAddress?.endpoint else { return }
        // Nobody tells the sentinel, which goes on naming it until it has looked.
        let control = group.primary.client()
        _ = try await control.call(RedisCommand("REPLICAOF", "127.0.0.1", "\(port)"))
        let error = await #expect(throws: RedisError.self) {
            while true { _ = try await client.call(RedisCommand("SET", "k", "v")) }
        }
        #expect(error?.isOutage == true, "\(String(describing: error))")
    }

    private static func client(ports: [UInt16], name: String = PrivateSentinels.name) throws -> RedisClient {
        let places = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        return RedisClient(try RedisAddress(parsing: "sentinel://\(places)/\(name)"), name: "t")
    }
}
