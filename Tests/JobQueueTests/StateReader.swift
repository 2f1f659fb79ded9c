@testable import JobQueue
import QueueModel
import Redis

/// Reads a whole database into the state of one queue; every key that is not the queue's is an error.
///
/// Times that a script wrote are a few milliseconds later than a model's, which knows no clock: they are
/// checked to a tenth of a unit, and then replaced by the model's, so that order and ties are the same in
/// both.
struct StateReader {
    struct Unexpected: Error { let what: String }

    /// Milliseconds; all times of a model are multiples of it.
    static let grid = 100_000
    private static let script = RedisScript(
        name: "read everything",
        source: Array(
            """
            #!lua
            local epoch, grid = tonumber(ARGV[1]), tonumber(ARGV[2])
            local answer = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
                local kind, value = redis.call('TYPE', key).ok, {}
                if kind == 'string' then value = {redis.call('GET', key)}
                elseif kind == 'list' then value = redis.call('LRANGE', key, 0, -1)
                elseif kind == 'hash' then value = redis.call('HGETALL', key)
                elseif kind == 'stream' then value = redis.call('XRANGE', key, '-', '+')
                elseif kind == 'zset' then
                    local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
                    for index = 1, #members, 2 do
                        local steps = math.floor((tonumber(members[index + 1]) - epoch) / grid + 0.5)
                        redis.call('ZADD', key, epoch + steps * grid, members[index])
                    end
                    members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
                    for index = 1, #members, 2 do
                        value[index] = members[index]
                        value[index + 1] = string.format('%d', tonumber(members[index + 1]) - epoch)
                    end
                end
                answer[#answer + 1] = {key, kind, redis.call('PTTL', key), value}
            end
            return answer
            """.utf8))

    private let client: RedisClient
    private let keys: QueueKeys
    private let epoch: Int
    /// Decoding is slow, and published results never change.
    private var decoded: [[UInt8]: QueueState.Result] = [:]

    /// - Parameter epoch: the server's time, in milliseconds, at which the model's is zero.
    init(_ client: RedisClient, _ keys: QueueKeys, epoch: Int) {
        (self.client, self.keys, self.epoch) = (client, keys, epoch)
    }

    static func snapped(_ time: Duration) -> Int {
        Int((Double(time.milliseconds) / Double(grid)).rounded()) * grid
    }

    mutating func state() async throws -> QueueState {
        let reply = try await client.run(
            Self.script, keys: [], arguments: words([epoch, Self.grid]), mayBeReplayed: true)
        var state = QueueState()
        for entry in reply.array ?? [] {
            guard let facts = entry.array, facts.count == 4, let key = facts[0].text,
                let kind = facts[1].text,
                let milliseconds = facts[2].integer, let values = facts[3].array
            else { throw Unexpected(what: "\(entry)") }
            try read(key, "\(kind)\(milliseconds >= 0 ? " with TTL" : "")", values, into: &state)
        }
        return state
    }

    /// Lets time pass: the scripts only compare times with now.
    func shift(_ milliseconds: Int) async throws {
        for key in [keys.workers, keys.delayed] {
            let members = try await client.call(RedisCommand("ZRANGE", key, "0", "-1")).array ?? []
            for member in members.compactMap(\.bytes) {
                var command = RedisCommand("ZINCRBY", key, String(-milliseconds))
                command.append(member)
                _ = try await client.call(command)
            }
        }
    }

    private mutating func read(
        _ key: String, _ kind: String, _ values: [RedisReply], into state: inout QueueState
    ) throws {
        let batch = keys.batch("")
        let worker = String(keys.list(of: WorkerID("x")).dropLast())
        switch (key, kind) {
        case (keys.queue, "list"): state.waiting = values.compactMap(\.bytes)
        case (keys.paused, "string"): state.isPaused = true
        case (keys.workers, "zset"): state.leases = numbers(values)
        case (keys.counters, "hash"): state.counters = numbers(values)
        case (keys.delayed, "zset"):
            state.delayed = stride(from: 0, to: values.count - 1, by: 2).map {
                .init(member: values[$0].bytes ?? [], due: Int(values[$0 + 1].text ?? "") ?? .min)
            }
        case (keys.attempts, "hash"):
            for index in stride(from: 0, to: values.count - 1, by: 2) {
                let counts = (values[index + 1].text ?? "").split(separator: " ").compactMap { Int($0) }
                guard counts.count == 2 else { throw Unexpected(what: "attempts \(values[index + 1])") }
                state.attempts[values[index].text ?? ""] = .init(failed: counts[0], crashed: counts[1])
            }
        case (keys.dead, "stream"): state.dead = try values.map(dead)
        case (keys.results, "stream"): state.results = try values.map { try result($0) }
        case (_, "hash with TTL") where key.hasPrefix(batch):
            state.batches[String(key.dropFirst(batch.count))] = numbers(values)
        case (_, "hash with TTL") where key.hasPrefix(worker) && key.hasSuffix(":info"):
            state.lost[String(key.dropFirst(worker.count).dropLast(5))] = numbers(values)["reclaimed"] ?? .min
        case (_, "list") where key.hasPrefix(worker):
            state.lists[String(key.dropFirst(worker.count))] = values.compactMap(\.bytes)
        default: throw Unexpected(what: "\(key), a \(kind)")
        }
    }

    private func numbers(_ values: [RedisReply]) -> [String: Int] { Dictionary(pairs(values)) { $1 } }

    private func pairs(_ values: [RedisReply]) -> [(String, Int)] {
        stride(from: 0, to: values.count - 1, by: 2).map {
            (values[$0].text ?? "", Int(values[$0 + 1].text ?? "") ?? .min)
        }
    }

    private func fields(_ entry: RedisReply) -> [String: RedisReply] {
        let words = entry.array?.last?.array ?? []
        return Dictionary(
            stride(from: 0, to: words.count - 1, by: 2).map { (words[$0].text ?? "", words[$0 + 1]) }
        ) { $1 }
    }

    private func dead(_ entry: RedisReply) throws -> QueueState.Dead {
        let fields = fields(entry)
        let error = try JobFailure(json: fields["error"]?.bytes ?? [])
        guard let code = fields["code"]?.text, error.code.rawValue == code else {
            throw Unexpected(what: "\(entry)")
        }
        return .init(
            id: fields["id"]?.text ?? "", code: code, raw: fields["job"]?.bytes ?? [],
            attempts: Int(fields["attempts"]?.text ?? "") ?? .min)
    }

    /// What the entry's own fields and its JSON object both say must be the same.
    private mutating func result(_ entry: RedisReply) throws -> QueueState.Result {
        let fields = fields(entry)
        let json = fields["result"]?.bytes ?? []
        if let known = decoded[json] { return known }
        let result = try JobResult(json: json)
        guard fields["id"]?.text == result.id, fields["batch"]?.text == result.batch ?? "",
            fields["status"]?.text == result.status.rawValue,
            (result.error == nil) == (result.status == .done),
            let attempt = result.attempt, result.finishedAt != nil
        else { throw Unexpected(what: "\(entry)") }
        let read = QueueState.Result(
            id: result.id, batch: result.batch ?? "", attempt: attempt, code: result.error?.code.rawValue)
        decoded[json] = read
        return read
    }
}
