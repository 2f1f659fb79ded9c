import FoundationEssentials
public import JobQueue
public import Redis
public import TestSupport
public import Testing

/// A Redis, a folder of pictures, a folder of thumbnails, and workers as they are shipped.
public final class TestFleet: Sendable {
    private let place: FleetPlace
    public let redis: PrivateRedis
    public let client: RedisClient
    /// Where programs find Redis.
    public let url: String
    public let keys = QueueKeys()
    public let folder: TemporaryFolder
    public var sources: String { folder.path + "/photos" }
    public var output: String { folder.path + "/thumbs" }

    /// - Parameter pictures: fixtures by the path they get beneath the source root.
    public init(
        pictures: [String: String] = ["a.jpg": "landscape-420.jpg"], appendOnly: Bool = false,
        configuration: [String] = [], redisOn host: [String] = []
    ) async throws {
        place = try await FleetPlace()
        redis = try await PrivateRedis(appendOnly: appendOnly, configuration: configuration, on: host)
        client = redis.client()
        url = redis.address.description
        folder = try TemporaryFolder()
        for (path, fixture) in pictures { try write(Fixture.bytes(fixture), to: path) }
    }

    /// A fleet whose Redis is wherever sentinels say: programs and the test itself ask them.
    public init(
        pictures: [String: String] = ["a.jpg": "landscape-420.jpg"], behind sentinels: PrivateSentinels
    ) async throws {
        place = try await FleetPlace()
        redis = sentinels.primary
        client = RedisClient(try RedisAddress(parsing: sentinels.url), name: "test")
        url = sentinels.url
        folder = try TemporaryFolder()
        for (path, fixture) in pictures { try write(Fixture.bytes(fixture), to: path) }
    }

    /// With a Redis that is set up in another way.
    public init(
        pictures: [String: String] = ["a.jpg": "landscape-420.jpg"],
        startingRedis start: () async throws -> PrivateRedis
    ) async throws {
        place = try await FleetPlace()
        redis = try await start()
        client = redis.client()
        url = redis.address.description
        folder = try TemporaryFolder()
        for (path, fixture) in pictures { try write(Fixture.bytes(fixture), to: path) }
    }

    public func write(_ bytes: [UInt8], to path: String) throws {
        let whole = sources + "/" + path
        try FileManager.default.createDirectory(
            atPath: whole.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 },
            withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: whole))
    }

    public func thumbnail(_ path: String) -> [UInt8]? { Fixture.contents(of: output + "/" + path) }

    public var operators: OperatorQueue { OperatorQueue(keys, client: client) }

    /// - Parameter host: words before the command that start it elsewhere.
    public func worker(
        _ arguments: [String] = [], on host: [String] = [], redis address: String? = nil,
        output: String? = nil, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let command =
            host + [
                BuiltProgram.path("worker"), "--source-root", sources, "--output", output ?? self.output,
                "--redis", address ?? url,
            ] + arguments
        return try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
    }

    public func enqueue(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(BuiltProgram.path("enqueue"), ["--redis", url] + arguments)
    }

    /// What any producer does.
    public func push(_ jobs: String...) async throws {
        for job in jobs { _ = try await client.callWhenUp(RedisCommand("LPUSH", keys.queue, job)) }
    }

    public func push(bytes: [UInt8]) async throws {
        var command = RedisCommand("LPUSH", keys.queue)
        command.append(bytes)
        _ = try await client.callWhenUp(command)
    }

    /// The published results, oldest first, once there are `count` of them.
    public func results(_ count: Int, within limit: Duration = .seconds(90)) async throws -> [JobResult] {
        try await eventually(within: limit, "\(count) results") {
            let reply = try await self.client.callWhenUp(
                RedisCommand("XRANGE", self.keys.results, "-", "+", mayBeReplayed: true))
            let entries = reply.array ?? []
            guard entries.count >= count else { return nil }
            return try entries.map { entry in
                let fields = entry.array?.last?.array ?? []
                return try JobResult(json: fields.last?.bytes ?? [])
            }
        }
    }

    /// Commands of all clients so far by name, those of this test and those inside scripts included.
    public func commands() async throws -> [String: Int] {
        let reply = try await client.callWhenUp(RedisCommand("INFO", "commandstats"))
        var counts: [String: Int] = [:]
        for line in (reply.text ?? "").split(whereSeparator: \.isNewline) where line.hasPrefix("cmdstat_") {
            let parts = line.dropFirst(8).split(separator: ":calls=")
            counts[String(parts[0])] = Int(parts.last?.prefix { $0 != "," } ?? "")
        }
        return counts
    }

    /// Nothing is missing and nothing is left: what every test ends with.
    public func expectConservation(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let audit = try await operators.audit()
        #expect(audit.missing == 0, "\(audit)", sourceLocation: sourceLocation)
        let published = try await client.callWhenUp(RedisCommand("XLEN", keys.results)).integer
        #expect(
            published == audit.counters["finished", default: 0] + audit.counters["buried", default: 0],
            sourceLocation: sourceLocation)
    }
}

public struct NotInTime: Error { public let what: String }

/// Looks again and again until there is a value.
public func eventually<Value>(
    within limit: Duration = .seconds(90), _ what: String, _ look: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if let value = try await look() { return value }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NotInTime(what: what)
}
