import Glibc
public import Redis
import Synchronization

/// A redis-server of one test, on a Unix socket in a folder of its own, stopped with the object.
public final class PrivateRedis: Sendable {
    public struct DidNotStart: Error { public let log: String }

    private let folder: TemporaryFolder
    private let command: [String]
    private let process: Mutex<ChildProcess?>
    /// The path of the Unix socket, and the address over it.
    public let socket: String
    public let address: RedisAddress
    /// Over loopback TCP; only when asked for.
    public let tcpAddress: RedisAddress?

    /// Returns once the server answers. `configuration` is words of redis-server's command line, such as
    /// `["--maxmemory", "2mb"]`; `appendOnly` keeps the data over `kill` and `start`; `host` is words before
    /// the command that start it elsewhere.
    public init(
        tcp: Bool = false, appendOnly: Bool = false, password: String? = nil, configuration: [String] = [],
        on host: [String] = []
    ) async throws {
        folder = try TemporaryFolder()
        let port = tcp ? try Self.freePort() : 0
        socket = folder.path + "/redis.sock"
        address = RedisAddress(.unix(path: socket), password: password)
        tcpAddress = tcp ? RedisAddress(.tcp(host: "127.0.0.1", port: port), password: password) : nil
        command =
            host + [
                "redis-server", "--port", String(port), "--bind", "127.0.0.1", "--unixsocket", socket,
                "--dir", folder.path, "--save", "", "--appendonly", appendOnly ? "yes" : "no",
                "--appendfsync", "always", "--enable-debug-command", "yes",
            ] + (password.map { ["--requirepass", $0] } ?? []) + configuration
        process = Mutex(nil)
        try await start()
    }

    /// A server as `configurationFile` sets it up, but for where it listens and keeps its data. `user` may do all.
    public init(configurationFile: String, user: String, password: String, configuration: [String])
        async throws
    {
        folder = try TemporaryFolder()
        socket = folder.path + "/redis.sock"
        address = RedisAddress(.unix(path: socket), user: user, password: password)
        tcpAddress = nil
        command =
            ["redis-server", configurationFile, "--port", "0", "--unixsocket", socket, "--dir", folder.path]
            + configuration
        process = Mutex(nil)
        try await start()
    }

    deinit { process.withLock { $0?.send(SIGKILL) } }

    /// Starts the server again, after `kill`, and waits until it answers. `configuration` is for this time.
    public func start(configuration: [String] = []) async throws {
        let child = try ChildProcess(command[0], command.dropFirst() + configuration)
        process.withLock { $0 = child }
        var limits = RedisLimits()
        limits.shortestPause = .milliseconds(2)
        limits.longestPause = .milliseconds(10)
        let client = RedisClient(address, name: "probe", limits: limits)
        defer { client.close() }
        let isUp = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await client.callWhenUp(RedisCommand("PING"))) != nil }
            group.addTask {
                _ = await child.wait(atMost: .seconds(10))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !isUp { throw DidNotStart(log: child.standardOutput) }
    }

    /// Ends the server as a power cut would, and waits for the end.
    public func kill() async {
        let child = process.withLock { $0 }
        child?.send(SIGKILL)
        _ = await child?.wait()
    }

    /// Stops the process without closing anything: the network looks fine, and nobody answers.
    public func freeze() { process.withLock { $0?.send(SIGSTOP) } }
    public func thaw() { process.withLock { $0?.send(SIGCONT) } }

    public func client(_ name: String = "test", limits: RedisLimits = RedisLimits()) -> RedisClient {
        RedisClient(address, name: name, limits: limits)
    }

    /// A port that nobody listens on, and that was given to no other test of this process. Below those that the kernel
    /// takes for connections, so that none of them gets it before its server does.
    public static func freePort() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 12_000..<32_000)
            let isNew = givenPorts.withLock { $0.insert(port).inserted }
            if isNew, isFree(port) { return port }
        }
        throw DidNotStart(log: "no free port: error \(errno)")
    }

    private static let givenPorts = Mutex<Set<UInt16>>([])

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        place.sin_port = port.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafeMutablePointer(to: &place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(descriptor, place, length) == 0
            }
        }
    }
}
