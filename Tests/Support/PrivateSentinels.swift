import Glibc
import Redis

/// A primary and a replica, and sentinels that watch them, all on loopback and of one test.
public final class PrivateSentinels: Sendable {
    public struct NotInTime: Error { public let what: String }

    /// What the sentinels call the primary.
    public static let name = "photos"

    public let primary: PrivateRedis
    public let replica: PrivateRedis
    private let folder: TemporaryFolder
    private let sentinels: [ChildProcess]
    /// Loopback ports of the sentinels.
    public let ports: [UInt16]

    /// As programs are told it.
    public var url: String {
        "sentinel://" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",") + "/" + Self.name
    }

    /// Returns once each sentinel knows the replica and all the other sentinels, so that a failover is possible.
    ///
    /// - Parameter patience: after how long without an answer the primary counts as dead.
    public init(count: Int = 3, patience: Duration = .milliseconds(500)) async throws {
        primary = try await PrivateRedis(tcp: true)
        replica = try await PrivateRedis(tcp: true)
        folder = try TemporaryFolder()
        guard case .tcp(_, let port)? = primary.tcpAddress?.endpoint else {
            preconditionFailure("a Redis on TCP was asked for")
        }
        _ = try await replica.client().call(RedisCommand("REPLICAOF", "127.0.0.1", "\(port)"))
        var (ports, sentinels): ([UInt16], [ChildProcess]) = ([], [])
        for number in 0..<count {
            let own = try PrivateRedis.freePort()
            let path = folder.path + "/\(number).conf"
            try writeFile(
                Self.text(
                    port: own, folder, watching: port, quorum: count / 2 + 1, patience: patience), to: path)
            sentinels.append(try ChildProcess("redis-server", [path, "--sentinel"]))
            ports.append(own)
        }
        (self.ports, self.sentinels) = (ports, sentinels)
        for port in ports { try await untilComplete(port, others: count - 1) }
    }

    /// Ends one of the sentinels.
    public func kill(sentinel number: Int) async {
        sentinels[number].send(SIGKILL)
        _ = await sentinels[number].wait()
    }

    /// Returns once the replica says that it is the primary.
    public func untilFailedOver() async throws {
        // It refuses to be greeted as long as it is a replica.
        let client = replica.client()
        defer { client.close() }
        _ = try await client.callWhenUp(RedisCommand("PING"))
    }

    private func untilComplete(_ port: UInt16, others: Int) async throws {
        let client = RedisClient(RedisAddress(.tcp(host: "127.0.0.1", port: port)), name: "test")
        defer { client.close() }
        // Their own pace is one question in ten seconds.
        _ = try await client.callWhenUp(
            RedisCommand(
                "SENTINEL", "DEBUG", "info-period", "200", "publish-period", "100", mayBeReplayed: true))
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            let question = RedisCommand("SENTINEL", "MASTER", Self.name, mayBeReplayed: true)
            let facts = try await client.callWhenUp(question).array?.compactMap(\.text) ?? []
            func count(_ name: String) -> Int {
                facts.firstIndex(of: name).flatMap { Int(facts[$0 + 1]) } ?? 0
            }
            if count("num-slaves") >= 1, count("num-other-sentinels") >= others { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NotInTime(what: "the sentinels to know each other")
    }

    /// One sentinel alone, which watches a primary on this port and has more words on its command line.
    public static func lone(
        in folder: TemporaryFolder, port: UInt16, watching primary: UInt16, words: [String]
    ) throws -> ChildProcess {
        let path = folder.path + "/sentinel.conf"
        try writeFile(
            text(port: port, folder, watching: primary, quorum: 1, patience: .seconds(5)), to: path)
        return try ChildProcess("redis-server", [path, "--sentinel"] + words)
    }

    private static func text(
        port: UInt16, _ folder: TemporaryFolder, watching primary: UInt16, quorum: Int, patience: Duration
    ) -> String {
        """
        port \(port)
        bind 127.0.0.1
        dir \(folder.path)
        sentinel monitor \(name) 127.0.0.1 \(primary) \(quorum)
        sentinel down-after-milliseconds \(name) \(Int(patience / .milliseconds(1)))
        sentinel failover-timeout \(name) 3000

        """
    }
}
