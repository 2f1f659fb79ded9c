import FoundationEssentials
import Glibc
import JobQueue
import Redis
import TestSupport
import Threading

/// A Redis that keeps its data, workers that are started again when they end, a proxy before each second of
/// them, and what can be done to all of these.
final class Site: Sendable {
    let redis: PrivateRedis
    let client: RedisClient
    let keys = QueueKeys()
    let slots: [WorkerSlot]
    private let proxies: [Int: FaultProxy]
    private let folder: TemporaryFolder
    var output: String { folder.path + "/thumbs" }
    private var operators: OperatorQueue { OperatorQueue(keys, client: client) }

    /// - Parameters:
    ///   - programs: the worker programs that the slots take in turn: one, or two versions.
    ///   - logs: where each worker's log is kept, if anywhere.
    init(workers: Int, programs: [String], logs: String?) async throws {
        redis = try await PrivateRedis(appendOnly: true)
        client = redis.client("chaos")
        folder = try TemporaryFolder()
        try Self.lay(folder.path)
        var proxies: [Int: FaultProxy] = [:]
        for number in stride(from: 1, to: workers, by: 2) {
            proxies[number] = try FaultProxy(before: redis.address)
        }
        self.proxies = proxies
        let paths = ["--source-root", folder.path + "/photos", "--output", folder.path + "/thumbs"]
        let direct = redis.address.description
        if let logs {
            try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        }
        slots = (0..<workers).map { number in
            let address = proxies[number]?.address.description ?? direct
            let command = WorkerSlot.Command(
                program: programs[number % programs.count],
                arguments: paths + ["--redis", address, "--memory-budget", "64MiB"],
                environment: [
                    "THUMBNAIL_FAILPOINT": "inspected=abort:\(JobKinds.poison)",
                    // Takes seconds of every core.
                    "SWIFT_BACKTRACE": "enable=no",
                ])
            return WorkerSlot(number, command) { log in
                guard let logs else { return }
                append(log, to: "\(logs)/worker-\(number).log")
            }
        }
    }

    private static func lay(_ folder: String) throws {
        let photos = folder + "/photos"
        for path in [photos, folder + "/thumbs"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for name in JobKinds.pictures + [JobKinds.truncated] {
            try Data(Fixture.bytes(name)).write(to: URL(filePath: photos + "/" + name))
        }
        try Data(Fixture.bytes(JobKinds.pictures[0])).write(to: URL(filePath: photos + "/" + JobKinds.poison))
        try Data(SlowPicture.bytes(side: 2048, bands: 6)).write(
            to: URL(filePath: photos + "/" + JobKinds.slow))
        try Data().write(to: URL(filePath: folder + "/thumbs/" + JobKinds.inTheWay))
    }

    func thumbnail(_ path: String) -> [UInt8]? { Fixture.contents(of: output + "/" + path) }

    /// Begins an event, waits until it is over, and ends it.
    func suffer(_ event: Event) async throws {
        let slot = slots[event.worker]
        // Workers with an even number have no proxy: their neighbour is hit.
        let proxy = proxies[event.worker] ?? proxies[event.worker + 1] ?? proxies[event.worker - 1]
        let length = event.length
        switch event.kind {
        case .workerKilled: slot.kill(pause: length)
        case .workerFrozenBriefly, .workerFrozenBeyondLease:
            slot.freeze()
            try await Task.sleep(for: length)
            slot.thaw()
        case .workerToldToStop: slot.stop()
        case .workerToldTwice:
            slot.stop()
            try await Task.sleep(for: .milliseconds(5))
            slot.stop()
        case .connectionsCut: proxy?.cut()
        case .connectionsFrozen:
            proxy?.freeze()
            try await Task.sleep(for: length)
            proxy?.thaw()
        case .connectionsRefused:
            proxy?.refuse()
            proxy?.cut()
            try await Task.sleep(for: length)
            proxy?.accept()
        case .connectionsSlow:
            proxy?.delay(requests: .milliseconds(150), replies: .milliseconds(150))
            try await Task.sleep(for: length)
            proxy?.delay()
        case .repliesSwallowed:
            proxy?.swallowReplies()
            try await Task.sleep(for: length)
            proxy?.swallowReplies(false)
            proxy?.cut()
        case .redisKilled:
            await redis.kill()
            try await Task.sleep(for: length)
            try await redis.start()
        case .redisFrozen:
            redis.freeze()
            try await Task.sleep(for: length)
            redis.thaw()
        case .redisLoading: try await load(for: length)
        case .redisTurnsReplica:
            try await tell("REPLICAOF", "127.0.0.1", "1")
            try await Task.sleep(for: length)
            try await tell("REPLICAOF", "NO", "ONE")
        case .redisFull:
            try await tell("CONFIG", "SET", "maxmemory", String(try await usedMemory() + 200_000))
            try await Task.sleep(for: length)
            try await tell("CONFIG", "SET", "maxmemory", "0")
        case .scriptsForgotten: try await tell("SCRIPT", "FLUSH")
        case .clientsKilled: try await tell("CLIENT", "KILL", "TYPE", "normal")
        case .queuePaused:
            try await insist { () throws(QueueError) in try await operators.pause(because: "chaos") }
            try await Task.sleep(for: length)
            try await insist { () throws(QueueError) in try await operators.resume() }
        case .coresSaturated: try await saturate(for: length)
        }
    }

    /// Is killed, reads its data as slowly as it takes, and answers LOADING meanwhile.
    ///
    /// Not by DEBUG LOADAOF: that serves blocking moves from data that is half read, as no real start does.
    private func load(for length: Duration) async throws {
        await redis.kill()
        async let started: Void = redis.start(configuration: ["--key-load-delay", "1000"])
        try await Task.sleep(for: length)
        // A connection that answers LOADING is none to our client.
        let haste = try ChildProcess(
            "redis-cli", ["-s", redis.socket, "config", "set", "key-load-delay", "0"])
        _ = await haste.wait()
        try await started
    }

    /// More busy programs than cores.
    private func saturate(for length: Duration) async throws {
        let loops = try (0..<4 * availableProcessors()).map { _ in
            try ChildProcess("/bin/sh", ["-c", "while :; do :; done"])
        }
        try await Task.sleep(for: length)
        for loop in loops { loop.send(SIGKILL) }
    }

    /// The bytes of every job that waits, is held by a worker, or is delayed; nil while jobs move from one
    /// place to the next during the look.
    func unpublishedAtRest() async throws -> [[UInt8]]? {
        let before = try await audit()
        let jobs = try await unpublished()
        let after = try await audit()
        return before.counters == after.counters
            && jobs.count == before.waiting + before.running + before.delayed
            ? jobs : nil
    }

    /// As above, and true only if nothing moves.
    func unpublished() async throws -> [[UInt8]] {
        var lists = [keys.queue]
        lists += try await read("ZRANGE", keys.workers, "0", "-1").map {
            keys.list(of: WorkerID(String(decoding: $0, as: UTF8.self)))
        }
        var jobs: [[UInt8]] = []
        for list in lists { jobs += try await read("LRANGE", list, "0", "-1") }
        // Members have a number and a colon before the bytes, so that the same bytes can be there twice.
        return jobs
            + (try await read("ZRANGE", keys.delayed, "0", "-1")).map { member in
                Array(member.drop { $0 != UInt8(ascii: ":") }.dropFirst())
            }
    }

    private func read(_ words: String...) async throws -> [[UInt8]] {
        var command = RedisCommand(words[0], mayBeReplayed: true)
        for word in words.dropFirst() { command.append(word) }
        return (try await client.callWhenUp(command).array ?? []).compactMap(\.bytes)
    }

    /// No memory for anything new from now on, however much is held.
    func fill() async throws { try await tell("CONFIG", "SET", "maxmemory", "1mb") }

    func audit() async throws -> OperatorQueue.Audit {
        try await insist { () throws(QueueError) in try await operators.audit() }
    }

    /// An operator's call makes one attempt; this makes them until Redis is there.
    private func insist<Value: Sendable>(
        _ call: () async throws(QueueError) -> Value
    ) async throws -> Value {
        while true {
            do throws(QueueError) { return try await call() } catch {
                guard case .redis(let reason) = error, reason.isOutage else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func usedMemory() async throws -> Int {
        let info = try await client.callWhenUp(RedisCommand("INFO", "memory")).text ?? ""
        let line = info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") }
        return line.flatMap { Int($0.dropFirst("used_memory:".count)) } ?? 0
    }

    private func tell(_ words: String...) async throws {
        var command = RedisCommand(words[0], mayBeReplayed: true)
        for word in words.dropFirst() { command.append(word) }
        _ = try await client.callWhenUp(command)
    }
}

private func append(_ text: String, to path: String) {
    guard let file = unsafe fopen(path, "a") else { return }
    unsafe fputs(text, file)
    unsafe fclose(file)
}
