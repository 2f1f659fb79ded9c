/// A call that waits for its answers.
struct RedisRequest: Sendable {
    let id: Int
    let commands: [RedisCommand]
    let waitsForRedis: Bool
    let continuation: CheckedContinuation<Result<[RedisReply], RedisError>, Never>

    var mayBeReplayed: Bool { commands.allSatisfy(\.mayBeReplayed) }
    var isBlocking: Bool { commands.contains { $0.blocksFor != nil } }
    var byteCount: Int { commands.reduce(0) { $0 + $1.bytes.count } }
}

/// Calls not under way, first come, first served, and what the connection's thread says about itself.
struct RedisRequests: Sendable {
    var waiting: [RedisRequest] = []
    var isClosing = false
    /// Why Redis is away; nil while it is up and before the first attempt.
    var outage: RedisError?
    /// Calls taken by the thread, and those among them whose task was cancelled meanwhile.
    private var underWay: Set<Int> = []
    private var cancelled: Set<Int> = []
    private var lastID = 0

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// The call if it was still waiting; one under way ends with its answer, yet is not sent again.
    mutating func cancel(_ id: Int) -> RedisRequest? {
        if underWay.contains(id) { cancelled.insert(id) }
        return waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    /// The calls that leave together: one blocking call, or ordinary ones up to `limit` bytes.
    mutating func takeGroup(bytes limit: Int) -> [RedisRequest] {
        guard let first = waiting.first else { return [] }
        var count = 1
        if !first.isBlocking {
            var total = first.byteCount
            while count < waiting.count, !waiting[count].isBlocking {
                total += waiting[count].byteCount
                if total > limit { break }
                count += 1
            }
        }
        let group = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        for request in group { underWay.insert(request.id) }
        return group
    }

    /// Ends a round trip: puts the calls to be sent again back in front, in order, and returns those
    /// among them that nobody wants any more.
    mutating func finish(_ group: [RedisRequest], sendingAgain again: [RedisRequest]) -> [RedisRequest] {
        let unwanted = again.filter { isClosing || cancelled.contains($0.id) }
        waiting.insert(contentsOf: again.filter { !isClosing && !cancelled.contains($0.id) }, at: 0)
        for request in group {
            underWay.remove(request.id)
            cancelled.remove(request.id)
        }
        return unwanted
    }

    /// Calls that do not wait out an outage.
    mutating func takeImpatient() -> [RedisRequest] {
        let impatient = waiting.filter { !$0.waitsForRedis }
        waiting.removeAll { !$0.waitsForRedis }
        return impatient
    }
}
