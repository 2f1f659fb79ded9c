import FleetSupport
import HTTP
import TestSupport
import Threading

/// Asking workers how they are, as scrapers and supervisors do.
extension TestFleet {
    /// A worker that can be asked, on a port that nobody else has.
    func askableWorker(
        _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try worker(["--listen", "127.0.0.1:0"] + arguments, environment: environment)
    }

    /// Where it listens, once it has said so.
    func place(of worker: ChildProcess) async throws -> HostAndPort {
        try await eventually("the worker to listen") {
            guard let start = worker.standardError.firstRange(of: #""worker.listening","address":""#) else {
                return nil
            }
            return HostAndPort(String(worker.standardError[start.upperBound...].prefix { $0 != "\"" }))
        }
    }

    func ask(
        _ path: String, _ worker: ChildProcess, within limit: Duration = .seconds(20)
    ) async throws -> HTTPAnswer {
        let place = try await place(of: worker)
        let result: Result<HTTPAnswer, HTTPError> = await BlockingThreads.forTests.run {
            do throws(HTTPError) {
                return .success(try HTTPQuestion.ask(path, at: place, within: limit))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func scrape(_ worker: ChildProcess, within limit: Duration = .seconds(20)) async throws -> Scrape {
        Scrape(try await ask("/metrics", worker, within: limit).body)
    }

    /// Scrapes until it is so.
    @discardableResult
    func scrape(
        _ worker: ChildProcess, until what: String, _ holds: (Scrape) -> Bool
    ) async throws -> Scrape {
        try await eventually(what) {
            let scrape = try await self.scrape(worker)
            return holds(scrape) ? scrape : nil
        }
    }

    /// Asks until the status is this, and answers the reason.
    @discardableResult
    func untilAnswered(_ status: Int, at path: String, _ worker: ChildProcess) async throws -> String {
        try await eventually("\(status) at \(path)") {
            let answer = try await self.ask(path, worker)
            return answer.status == status ? answer.body : nil
        }
    }
}

/// What a worker exposes, line by line.
struct Scrape {
    let text: String
    /// By name with labels, as it stands in the text.
    let values: [String: Double]
    /// Type by name, of all that are announced.
    let types: [String: String]
    /// Names of labels by name, of those that have a value; without a histogram's bounds.
    let labels: [String: Set<String>]

    init(_ text: String) {
        self.text = text
        var (values, types, labels) = ([String: Double](), [String: String](), [String: Set<String>]())
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                types[String(words[2])] = String(words[3])
            } else if !line.hasPrefix("#"), let space = line.lastIndex(of: " ") {
                let key = String(line[..<space])
                values[key] = Double(line[line.index(after: space)...].replacing("+Inf", with: "inf"))
            }
        }
        for key in values.keys {
            var name = String(key.prefix { $0 != "{" })
            for suffix in ["_bucket", "_sum", "_count"] where types[name] == nil && name.hasSuffix(suffix) {
                name = String(name.dropLast(suffix.count))
            }
            let pairs = key.dropFirst(key.prefix { $0 != "{" }.count + 1).dropLast().split(separator: ",")
            let names = pairs.map { String($0.prefix { $0 != "=" }) }.filter { $0 != "le" }
            labels[name, default: []].formUnion(names)
        }
        (self.values, self.types, self.labels) = (values, types, labels)
    }

    subscript(key: String) -> Double? { values[key] }

    /// How many claims ended so.
    func jobs(_ outcome: String, _ code: String = "") -> Double? {
        self["thumbnail_jobs_total{outcome=\"\(outcome)\",code=\"\(code)\"}"]
    }

    /// How many attempts came to this stage.
    func attempts(in stage: String) -> Double? {
        self["thumbnail_job_stage_seconds_count{stage=\"\(stage)\"}"]
    }

    func queue(_ state: String) -> Double? {
        self["thumbnail_queue_jobs{queue=\"thumbnails\",state=\"\(state)\"}"]
    }
}
