import CommandLineOptions
import Glibc
import JobQueue
import Redis
import Synchronization
import Units

struct ResultsRequest: Sendable {
    /// Nil for all.
    let limit: Int?
    let since: ResultsSince?
    let batch: String?
    let failedOnly: Bool
    let follows: Bool

    init(_ values: OptionValues) {
        since = values[FleetOptions.sinceResult]
        limit = values[FleetOptions.resultLimit] ?? (since == nil ? Self.usualLimit : nil)
        batch = values[FleetOptions.batch]
        failedOnly = values[FleetOptions.failed]
        follows = values[FleetOptions.follow]
    }

    private static let usualLimit = 20

    func wants(_ result: PublishedResult) -> Bool {
        (batch == nil || result.batch == batch) && (!failedOnly || result.status == "failed")
    }
}

/// `fleet results`: what was published, oldest first, and then what comes.
struct ResultsCommand: Sendable {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console
    private let signals: Signals
    private let request: ResultsRequest

    /// One sleep in Redis; it ends early with the first result.
    private static let sleep = Duration.seconds(5)

    init(
        _ queue: OperatorQueue, _ place: QueuePlace, _ console: Console, _ signals: Signals,
        _ request: ResultsRequest
    ) {
        (self.queue, self.place, self.console, self.signals) = (queue, place, console, signals)
        self.request = request
    }

    func run() async throws(FleetError) -> ExitStatus {
        // Where the follower goes on is fixed before looking back, so that nothing falls in between.
        var newest: String?
        var latest: [PublishedResult] = []
        let oldest = try await oldestWanted()
        try await asking { () throws(QueueError) in
            try await queue.forEachResult(since: oldest) { result in
                newest = newest ?? result.entry
                if request.wants(result) { latest.append(result) }
                return latest.count < request.limit ?? .max
            }
        }
        for result in latest.reversed() { show(result) }
        guard request.follows else {
            if latest.isEmpty { try await explainNothing(isEmpty: newest == nil) }
            return .done
        }
        let start: String
        if let newest {
            start = newest
        } else {
            start = try await asking { () throws(QueueError) in try await queue.newestResult() }
        }
        return try await follow(from: start)
    }

    private func explainNothing(isEmpty: Bool) async throws(FleetError) {
        if let batch = request.batch {
            let facts = try await asking { () throws(QueueError) in try await queue.batch(batch) }
            if facts == nil {
                return console.complain(
                    "no batch “\(printable(batch))” is known; batches that are: \(place.line(["batch"]))")
            }
        }
        console.complain(
            isEmpty && request.since == nil
                ? "no result yet: no job was finished or buried" : "no result is like this")
    }

    /// The id from which on results are wanted; nil is from the first.
    private func oldestWanted() async throws(FleetError) -> String? {
        switch request.since {
        case nil: return nil
        case .entry(let id)?: return id
        case .ago(let time)?:
            let now = try await asking { () throws(QueueError) in try await queue.now() }
            return "\(max(0, now - time.wholeMilliseconds))"
        }
    }

    private func follow(from start: String) async throws(FleetError) -> ExitStatus {
        let following = Task { () async -> Result<Void, QueueError> in
            do throws(QueueError) {
                try await followForEver(from: start)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        let console = console
        signals.onNext {
            // Asleep in Redis nothing can be cancelled; what is being printed is printed whole.
            console.close()
            exit(ExitStatus.done.rawValue)
        }
        switch await following.value {
        case .success: return .done
        case .failure(let error): throw .queue(error)
        }
    }

    private func followForEver(from start: String) async throws(QueueError) {
        // Sleeps in Redis, so it has a connection of its own; an outage is told once.
        let console = console
        let client = RedisClient(
            place.redis, name: "fleet",
            health: RedisHealth { change in
                switch change {
                case .outageBegan(let error):
                    console.complain("Redis is away (\(error)); waiting until it is back")
                case .outageEnded(let length): console.complain("Redis is back after \(length.shortText)")
                }
            })
        let queue = OperatorQueue(queue.keys, client: client)
        var last = start
        while true {
            let following = try await queue.results(after: last, atMost: Self.sleep)
            if following.mayHaveGap, let next = following.results.first {
                console.complain(
                    "fell behind: results between \(last) and \(next.entry) may be missing here, cut off by "
                        + "the cap of the stream")
            }
            for result in following.results where request.wants(result) { show(result) }
            last = following.results.last?.entry ?? last
        }
    }

    private func show(_ result: PublishedResult) {
        if place.printsJSON {
            console.write(result.json.filter { $0 != UInt8(ascii: "\n") } + [UInt8(ascii: "\n")])
        } else {
            console.say(result.line(console.palette))
        }
    }
}
