import TestSupport

/// What happens to a fleet during a run, and when: the same for the same seed and length.
///
/// Every kind of event comes before any comes again, so that a short run has all of them. Events that take
/// Redis away do not overlap: two of them at once would only be the longer one.
struct Weather: Sendable {
    struct Front: Sendable, Equatable {
        /// Since the start of the run.
        let start: Duration
        let event: Event
    }

    let fronts: [Front]

    /// - Parameters:
    ///   - length: how long the weather lasts; the last event begins before.
    ///   - workers: how many there are to hit.
    init(seed: UInt64, length: Duration, workers: Int) {
        var random = SplitMix(seed: seed)
        var fronts: [Front] = []
        var deck: [Event.Kind] = []
        var now = Duration.zero
        var redisIsBack = Duration.zero
        while true {
            now += .milliseconds(Int.random(in: 100...900, using: &random))
            if deck.isEmpty { deck = Self.deck.shuffled(using: &random) }
            // Another one goes first while Redis is away already.
            let index = deck.lastIndex { now >= redisIsBack || !$0.takesRedisAway }
            guard let index else {
                now = redisIsBack
                continue
            }
            if now >= length { break }
            let event = Event(
                deck.remove(at: index), worker: Int.random(in: 0..<workers, using: &random), using: &random)
            fronts.append(Front(start: now, event: event))
            if event.kind.takesRedisAway { redisIsBack = now + event.length + Self.calm }
        }
        self.fronts = fronts
    }

    /// A kill is what the promise is about.
    private static let deck = Event.Kind.allCases + Array(repeating: .workerKilled, count: 6)

    /// Between two outages, so that there is something for the second to interrupt.
    private static let calm = Duration.seconds(2)
}

/// Something that goes wrong.
struct Event: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        // To one worker's process.
        case workerKilled, workerFrozenBriefly, workerFrozenBeyondLease, workerToldToStop, workerToldTwice
        // To one worker's connections.
        case connectionsCut, connectionsFrozen, connectionsRefused, connectionsSlow, repliesSwallowed
        // To Redis.
        case redisKilled, redisFrozen, redisLoading, redisTurnsReplica, redisFull
        case scriptsForgotten, clientsKilled
        // To all.
        case queuePaused, coresSaturated

        var takesRedisAway: Bool {
            switch self {
            case .redisKilled, .redisFrozen, .redisLoading, .redisTurnsReplica, .redisFull: true
            default: false
            }
        }

        /// Nil for what is over at once.
        fileprivate var lengths: ClosedRange<Int>? {
            switch self {
            case .workerKilled: 0...2_000
            case .workerFrozenBriefly: 100...5_000
            // The lease is 10 s.
            case .workerFrozenBeyondLease: 11_000...15_000
            case .connectionsFrozen, .repliesSwallowed: 500...13_000
            case .connectionsRefused: 200...5_000
            case .connectionsSlow: 1_000...8_000
            case .redisKilled: 50...3_000
            case .redisFrozen: 200...4_000
            case .redisTurnsReplica: 200...2_000
            case .redisLoading: 500...2_000
            case .redisFull: 1_000...4_000
            case .queuePaused: 200...2_000
            case .coresSaturated: 3_000...12_000
            case .workerToldToStop, .workerToldTwice, .connectionsCut, .scriptsForgotten, .clientsKilled: nil
            }
        }
    }

    let kind: Kind
    /// Which worker it hits, if it hits one.
    let worker: Int
    /// Until it is over; zero for what is over at once.
    let length: Duration

    fileprivate init(_ kind: Kind, worker: Int, using random: inout SplitMix) {
        self.kind = kind
        self.worker = worker
        length = kind.lengths.map { .milliseconds(Int.random(in: $0, using: &random)) } ?? .zero
    }
}

extension Event: CustomStringConvertible {
    var description: String {
        let hitsOne = kind.rawValue.hasPrefix("worker") || kind.isOnConnections
        return kind.rawValue + (hitsOne ? " \(worker)" : "") + (length == .zero ? "" : " for \(length)")
    }
}

extension Event.Kind {
    var isOnConnections: Bool {
        switch self {
        case .connectionsCut, .connectionsFrozen, .connectionsRefused, .connectionsSlow, .repliesSwallowed:
            true
        default: false
        }
    }
}
