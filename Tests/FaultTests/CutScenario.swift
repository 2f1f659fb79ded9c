import FleetSupport
import FoundationEssentials
@testable import JobQueue
import Redis
import TestSupport
import Testing

/// A short life of a worker behind a proxy: it starts, finishes a job, retries one, buries one, and is told to
/// stop when all are settled.
struct CutScenario {
    let fleet: TestFleet
    let proxy: FaultProxy

    static let jobs = ["plain", "retried", "buried"]
    private static let pushed = [
        #"{"source":"a.jpg","pt":"60x60","scale":[1,2],"id":"plain"}"#,
        #"{"source":"a.jpg","pt":"40x40","scale":1,"id":"retried","output":"folder/retried.jpg"}"#,
        #"{"source":"missing.jpg","pt":"40x40","scale":1,"id":"buried"}"#,
    ]

    init() async throws {
        fleet = try await TestFleet()
        proxy = try FaultProxy(before: fleet.redis.address, scripts: Self.scriptNames)
        for job in Self.pushed { try await fleet.push(job) }
    }

    /// What a worker says to Redis in its life.
    static let moves: Set = [
        "PING", "ROLE", "CLIENT", "INFO", "audit", "renew", "claim", "BLMOVE", "finish", "retry", "bury",
        "promote",
        "deregister", "held",
    ]

    /// So that commands are told apart by the move they make.
    static let scriptNames = Dictionary(uniqueKeysWithValues: QueueScripts.all.map { ($0.sha1, $0.name) })

    /// What a run without faults writes, and how many commands it takes.
    static let undisturbed = Task {
        let scenario = try await CutScenario()
        let worker = try await scenario.start()
        #expect(await worker.wait() == .status(0), "\(worker.standardError)")
        return (thumbnails: try scenario.fleet.thumbnails(), commands: scenario.proxy.seen.total)
    }

    /// A worker whose second job cannot be written until it has failed once.
    func start() async throws -> ChildProcess {
        let obstacle = fleet.output + "/folder"
        try FileManager.default.createDirectory(atPath: fleet.output, withIntermediateDirectories: true)
        try Data([0]).write(to: URL(filePath: obstacle))
        let (client, attempts) = (fleet.client, fleet.keys.attempts)
        Task {
            try await eventually("the job to fail, or its worker to die") {
                try await client.call(RedisCommand("HEXISTS", attempts, "retried")).integer == 1 ? () : nil
            }
            try FileManager.default.removeItem(atPath: obstacle)
        }
        return try worker(redis: proxy.url)
    }

    /// Works off what is left, with a sound connection.
    func recover() async throws {
        let heir = try worker(redis: fleet.url)
        #expect(await heir.wait(atMost: .seconds(60)) == .status(0), "\(heir.standardError)")
    }

    func expectVerdict(unfinished: Int? = 0) async throws -> [String: JobResult] {
        let results = try await fleet.expectVerdict(
            jobs: Self.jobs, thumbnails: try await Self.undisturbed.value.thumbnails, unfinished: unfinished)
        #expect(results["plain"]?.status == .done && results["retried"]?.status == .done)
        #expect(results["buried"]?.error?.code == .sourceNotFound)
        return results
    }

    private func worker(redis address: String) throws -> ChildProcess {
        let worker = try fleet.worker(redis: address, environment: ["THUMBNAIL_TEST_LEASE_MS": "2000"])
        let (client, results) = (fleet.client, fleet.keys.results)
        Task {
            try await eventually(within: .seconds(60), "all jobs to be settled, or the worker to end") {
                guard worker.isRunning else { return () }
                // Before that, the signal would mean what it means to any process.
                guard worker.standardError.contains("worker.started") else { return nil }
                let settled = try await client.call(RedisCommand("XLEN", results)).integer
                return settled == Self.jobs.count ? () : nil
            }
            worker.send(15)
        }
        return worker
    }
}

extension FaultProxy {
    /// As programs are told it.
    var url: String { address.description }
}

/// Where to strike: at the number-th command of all, or of those of that name.
struct Place: CustomStringConvertible {
    let number: Int
    var name: String?

    var description: String { "command \(number) \(name ?? "")" }
}

/// Runs `body` for command 1, 2, 3 … until it answers that there was no such command, a few at a time, and
/// then for each of `moves` that none of those was. `body` answers the name of the command.
///
/// A worker's connections speak at the same time, so that a number is not the same command in every run.
func forEachCommand(
    expecting usual: Int, moves: Set<String>, _ body: @escaping @Sendable (Place) async throws -> String?
) async throws {
    let width = 8
    var struck = try await withThrowingTaskGroup(of: String?.self) { group in
        var reached: [String] = []
        var (next, isOver) = (1, false)
        // A fault can make a run longer, never endless.
        while next <= usual * 3 {
            if next > width, let answer = try await group.next() {
                if let answer { reached.append(answer) } else if next > usual { isOver = true }
            }
            if isOver { break }
            let number = next
            group.addTask { try await body(Place(number: number)) }
            next += 1
        }
        for try await answer in group { if let answer { reached.append(answer) } }
        #expect(isOver && reached.count >= usual / 2)
        return Set(reached)
    }
    for move in moves.subtracting(struck) {
        if let name = try await body(Place(number: 1, name: move)) { struck.insert(name) }
    }
    #expect(moves.subtracting(struck) == [])
}
