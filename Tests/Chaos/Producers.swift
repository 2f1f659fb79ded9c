import JobQueue
import Redis
import TestSupport

/// Pushes a share of the jobs, evenly over the time it is given, in bursts, and notes what became of them.
/// Only what was
/// refused is pushed again: what is uncertain might be there twice.
struct Producer: Sendable {
    let name: String
    let client: RedisClient
    let queue: String
    let ledger: Ledger

    func push(_ count: Int, over length: Duration, seed: UInt64) async {
        var random = SplitMix(seed: seed)
        let start = ContinuousClock.now
        var pushed = 0
        while pushed < count {
            let burst = min(Int.random(in: 1...60, using: &random), count - pushed)
            var jobs = (pushed..<pushed + burst).map { number in
                (id: "\(name)-\(number)", kind: JobKinds.draw(using: &random))
            }
            while !jobs.isEmpty {
                jobs = await push(jobs)
                do { try await Task.sleep(for: .milliseconds(jobs.isEmpty ? 0 : 50)) } catch { return }
            }
            pushed += burst
            // A burst is pushed when it is due, so that the jobs last as long as the weather.
            let due = start + length * (Double(pushed) / Double(count))
            do { try await Task.sleep(until: due, clock: .continuous) } catch { return }
        }
    }

    /// - Returns: the jobs that are certainly not in Redis, to be pushed again.
    private func push(_ jobs: [(id: String, kind: Ledger.Kind)]) async -> [(id: String, kind: Ledger.Kind)] {
        let commands = jobs.map { job in
            var command = RedisCommand("LPUSH", queue)
            command.append(JobKinds.bytes(job.kind, id: job.id))
            return command
        }
        do throws(RedisError) {
            var refused: [(id: String, kind: Ledger.Kind)] = []
            for (job, reply) in zip(jobs, try await client.pipeline(commands)) {
                if case .error = reply { refused.append(job) } else { note(job, .acknowledged) }
            }
            return refused
        } catch {
            guard error.isAmbiguous else { return jobs }
            for job in jobs { note(job, .uncertain) }
            return []
        }
    }

    private func note(_ job: (id: String, kind: Ledger.Kind), _ push: Ledger.Push) {
        ledger.note(JobKinds.publishedID(job.kind, id: job.id), job.kind, push)
    }
}

/// A producer in Python that knows nothing but LPUSH.
struct PythonProducer: Sendable {
    let process: ChildProcess
    private let name: String

    init(
        name: String, socket: String, queue: String, count: Int, over length: Duration,
        file: String = #filePath
    ) throws {
        self.name = name
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        process = try ChildProcess(
            "/usr/bin/python3",
            [
                folder.joined(separator: "/") + "/producer.py", socket, queue, name, String(count),
                String(length / .seconds(1)), JobKinds.pictures.joined(separator: ","),
            ])
    }

    /// Notes what it pushed, once it has ended. Its lines are `+` or `?` and an id.
    func settle(into ledger: Ledger) async throws {
        guard await process.wait(atMost: .seconds(120)) == .status(0) else {
            throw Failed(log: process.standardError)
        }
        for line in process.standardOutput.split(separator: "\n") {
            ledger.note(String(line.dropFirst()), .good, line.hasPrefix("+") ? .acknowledged : .uncertain)
        }
    }

    struct Failed: Error { let log: String }
}
