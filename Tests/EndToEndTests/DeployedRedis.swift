import FleetSupport
import FoundationEssentials
import Redis
import TestSupport
import Testing

/// A Redis with the two files of `deploy/redis`, and one password for each user; other than the files say are only
/// where it listens and where it keeps its data.
final class DeployedRedis: Sendable {
    enum User: String, CaseIterable, Sendable {
        case producer, worker, `operator`, consumer, scaler, probe
    }

    let fleet: TestFleet
    private let secrets: TemporaryFolder

    init(pictures: [String: String] = ["a.jpg": "landscape-420.jpg"]) async throws {
        let secrets = try TemporaryFolder()
        self.secrets = secrets
        let script = try ChildProcess(Self.folder + "make-users.sh", [secrets.path])
        try #require(await script.wait() == .status(0), "\(script.standardError)")
        let accessList = secrets.path + "/redis/users.acl"
        // The test's own eyes.
        let users = String(decoding: Fixture.contents(of: accessList) ?? [], as: UTF8.self)
        try Data((users + "user test on >test ~* &* +@all\n").utf8).write(to: URL(filePath: accessList))
        fleet = try await TestFleet(pictures: pictures) {
            try await PrivateRedis(
                configurationFile: Self.folder + "redis.conf", user: "test", password: "test",
                configuration: ["--aclfile", accessList])
        }
    }

    /// `deploy/redis/`, from the top of the repository.
    static let folder = Repository.path("deploy/redis/")

    func url(_ user: User) -> String {
        "unix://\(user.rawValue):\(password(user))@\(fleet.redis.socket)"
    }

    func client(_ user: User) -> RedisClient {
        RedisClient(
            RedisAddress(.unix(path: fleet.redis.socket), user: user.rawValue, password: password(user)),
            name: user.rawValue)
    }

    func password(_ user: User) -> String {
        guard user != .probe else { return "any" }
        let bytes = Fixture.contents(of: secrets.path + "/\(user.rawValue).password") ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Starts a built program that finds Redis as an operator of a fleet would tell it.
    func program(
        _ name: String, as user: User, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path(name), arguments,
            environment: ["REDIS_URL": url(user)].merging(environment) { $1 })
    }

    func worker(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> ChildProcess {
        try program(
            "worker", as: .worker,
            ["--source-root", fleet.sources, "--output", fleet.output] + arguments, environment: environment)
    }

    /// Runs redis-cli and answers what it prints.
    func redisCLI(as user: User, _ words: String...) async throws -> String {
        try await redisCLI(as: user, words)
    }

    func redisCLI(as user: User, _ words: [String]) async throws -> String {
        let client = try ChildProcess(
            "redis-cli",
            ["-s", fleet.redis.socket, "--user", user.rawValue, "--no-auth-warning"] + words,
            environment: ["REDISCLI_AUTH": password(user)])
        #expect(await client.wait() == .status(0), "\(words): \(client.standardError)")
        return client.standardOutput
    }

    /// What Redis refused so far: `worker: xrange (toplevel)`.
    func refusals() async throws -> [String] {
        let log = try await fleet.client.call(RedisCommand("ACL", "LOG")).array ?? []
        return log.map { entry in
            let words = (entry.array ?? []).map { $0.text ?? "" }
            func field(_ name: String) -> String {
                words.firstIndex(of: name).map { words[$0 + 1] } ?? ""
            }
            return "\(field("username")): \(field("object")) (\(field("context")), \(field("reason")))"
        }
    }
}

/// Files of the repository that are neither sources nor fixtures.
enum Repository {
    static func path(_ path: String, file: String = #filePath) -> String {
        file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/"
            + path
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try #require(Fixture.contents(of: Self.path(path)), "no \(path)"), as: UTF8.self)
    }
}
