import FoundationEssentials
public import JobQueue
import Redis
public import TestSupport
public import Testing

/// What a test sees of workers, and what has to be so when all work is over.
extension TestFleet {
    /// The id a worker gave itself, once it has started.
    public func id(of worker: ChildProcess) async throws -> WorkerID {
        try await eventually("the worker to start") {
            guard let start = worker.standardError.firstRange(of: #""worker":""#) else { return nil }
            return WorkerID(String(worker.standardError[start.upperBound...].prefix { $0 != "\"" }))
        }
    }

    /// Returns once the worker sleeps in Redis, waiting for a job.
    public func untilAsleep(_ worker: ChildProcess) async throws {
        let name = "name=worker:\(try await id(of: worker)) "
        try await eventually("the worker to sleep in Redis") {
            let clients = try await self.client.callWhenUp(RedisCommand("CLIENT", "LIST")).text ?? ""
            return clients.split(separator: "\n").contains { line in
                line.contains(name) && (line.contains("cmd=blmove") || line.contains("cmd=brpop"))
                    && line.contains("flags=b")
            } ? () : nil
        }
    }

    /// Returns once the worker has renewed its lease so many times from now on: it has heard what there is to
    /// hear. Sends no script.
    public func untilRenewed(_ times: Int, _ worker: ChildProcess) async throws {
        let info = keys.info(of: try await id(of: worker))
        var seen: Set<String> = []
        try await eventually("\(times) renewals") {
            let answer = try await self.client.callWhenUp(RedisCommand("HGET", info, "seen_at"))
            if let time = answer.text { seen.insert(time) }
            return seen.count > times ? () : nil
        }
    }

    /// The jobs in the lists of all workers.
    public func held() async throws -> [String] {
        var jobs: [String] = []
        for worker in try await operators.audit().workers {
            let list = keys.list(of: WorkerID(worker.id))
            let reply = try await client.callWhenUp(RedisCommand("LRANGE", list, "0", "-1"))
            jobs += (reply.array ?? []).compactMap(\.text)
        }
        return jobs
    }

    /// Returns once the worker holds that many jobs.
    public func untilHolding(_ count: Int, _ worker: ChildProcess, within limit: Duration = .seconds(30))
        async throws
    {
        let id = try await id(of: worker)
        try await eventually(within: limit, "\(count) jobs held by \(id)") {
            let audit = try await self.operators.audit()
            return audit.workers.contains { $0.id == id.description && $0.jobs >= count } ? () : nil
        }
    }

    /// The published results as their JSON text, oldest first, once there are `count` of them.
    public func resultTexts(_ count: Int) async throws -> [[UInt8]] {
        _ = try await results(count)
        let entries = try await client.callWhenUp(RedisCommand("XRANGE", keys.results, "-", "+")).array ?? []
        return entries.compactMap { $0.array?.last?.array?.last?.bytes }
    }

    /// Every job is published, nothing waits, runs or is delayed, and there are that many unfinished files: of
    /// workers that were killed while they wrote. Nil takes any number.
    public func expectAllSettled(
        unfinished: Int? = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expectConservation(sourceLocation: sourceLocation)
        let audit = try await operators.audit()
        #expect(
            audit.waiting + audit.running + audit.delayed == 0, "\(audit)", sourceLocation: sourceLocation)
        let attempts = try await client.callWhenUp(RedisCommand("HLEN", keys.attempts)).integer
        #expect(attempts == 0, "attempts of settled jobs", sourceLocation: sourceLocation)
        if let unfinished {
            #expect(try unfinishedFiles().count == unfinished, sourceLocation: sourceLocation)
        }
    }

    /// Files that no job has finished, as a worker leaves them that is killed while it writes.
    public func unfinishedFiles() throws -> [String] {
        guard FileManager.default.fileExists(atPath: output) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: output).filter {
            ($0.split(separator: "/").last ?? "").hasPrefix(".tmp-")
        }
    }
}
