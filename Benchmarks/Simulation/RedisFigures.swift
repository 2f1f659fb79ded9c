import Redis

/// What Redis counted until a moment, or between two: `later - earlier`.
struct RedisFigures: Sendable {
    /// When Redis was asked.
    private let taken = ContinuousClock.now
    /// Of a difference: between the two. Else zero.
    private(set) var time = Duration.zero
    /// User and system time of the server, all its threads.
    private(set) var cpu: Duration
    private(set) var bytesIn: Int
    private(set) var bytesOut: Int
    private(set) var memoryBytes: Int
    /// By command. Those that a script calls are counted in the script, and once more by themselves.
    private(set) var commands: [String: Command]

    struct Command: Sendable {
        var calls: Int
        var time: Duration
    }

    init(askedOf client: RedisClient) async throws {
        let text = try await client.call(RedisCommand("INFO", "all")).text ?? ""
        var facts: [Substring: Substring] = [:]
        commands = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            facts[parts[0]] = parts[1]
            guard parts[0].hasPrefix("cmdstat_") else { continue }
            let name = String(parts[0].dropFirst("cmdstat_".count))
            commands[name] = Command(
                calls: Self.number("calls", in: parts[1]),
                time: .microseconds(Self.number("usec", in: parts[1])))
        }
        func fact(_ name: Substring) throws -> Substring {
            guard let value = facts[name] else { throw MissingFact(name: String(name)) }
            return value
        }
        let seconds = (Double(try fact("used_cpu_user")) ?? 0) + (Double(try fact("used_cpu_sys")) ?? 0)
        cpu = .seconds(seconds)
        bytesIn = Int(try fact("total_net_input_bytes")) ?? 0
        bytesOut = Int(try fact("total_net_output_bytes")) ?? 0
        memoryBytes = Int(try fact("used_memory")) ?? 0
    }

    /// The number after `name=` in `calls=3,usec=25,…`; 0 without one.
    private static func number(_ name: String, in text: Substring) -> Int {
        for pair in text.split(separator: ",") where pair.hasPrefix(name + "=") {
            return Int(pair.dropFirst(name.count + 1)) ?? 0
        }
        return 0
    }

    static func - (later: RedisFigures, earlier: RedisFigures) -> RedisFigures {
        var difference = later
        difference.time = later.taken - earlier.taken
        difference.cpu -= earlier.cpu
        difference.bytesIn -= earlier.bytesIn
        difference.bytesOut -= earlier.bytesOut
        difference.memoryBytes -= earlier.memoryBytes
        for (name, command) in earlier.commands {
            difference.commands[name]?.calls -= command.calls
            difference.commands[name]?.time -= command.time
        }
        return difference
    }

    /// Of one core, 0…1 and a little more while Redis writes its log on another.
    var cpuShare: Double { cpu / time }

    /// Commands that came over the wire. Everything that a worker sends is a script, a blocking move, or one of
    /// a new connection's first words.
    var roundTrips: Int {
        ["evalsha", "eval", "blmove"].reduce(0) { $0 + (commands[$1]?.calls ?? 0) }
    }
}

struct MissingFact: Error { let name: String }
