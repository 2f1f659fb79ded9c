/// Everything that one queue keeps in Redis, as a value. A model has one, and Redis is read into one.
///
/// Times are milliseconds from now, so that the passing of time is a subtraction.
public struct QueueState: Sendable, Equatable {
    public typealias Raw = [UInt8]

    public struct Attempts: Sendable, Equatable {
        public var failed: Int
        public var crashed: Int

        public init(failed: Int = 0, crashed: Int = 0) { (self.failed, self.crashed) = (failed, crashed) }
    }

    public struct Delayed: Sendable, Equatable {
        /// `R12:` or `L12:`, then the job: the end of the queue it goes to, and a number that makes it unique.
        public let member: Raw
        public var due: Int

        public init(member: Raw, due: Int) { (self.member, self.due) = (member, due) }
    }

    public struct Dead: Sendable, Equatable {
        public let id: String
        public let code: String
        public let raw: Raw
        public let attempts: Int

        public init(id: String, code: String, raw: Raw, attempts: Int) {
            (self.id, self.code, self.raw, self.attempts) = (id, code, raw, attempts)
        }
    }

    public struct Result: Sendable, Equatable {
        public let id: String
        public let batch: String
        public let attempt: Int
        /// Nil for a finished job.
        public let code: String?

        public init(id: String, batch: String, attempt: Int, code: String?) {
            (self.id, self.batch, self.attempt, self.code) = (id, batch, attempt, code)
        }
    }

    /// Left to right.
    public var waiting: [Raw] = []
    /// By worker, left to right; workers without jobs have none.
    public var lists: [String: [Raw]] = [:]
    /// By worker; negative once the lease is over.
    public var leases: [String: Int] = [:]
    /// By worker that has an info: jobs that others took from it since it last renewed.
    public var lost: [String: Int] = [:]
    /// By job id.
    public var attempts: [String: Attempts] = [:]
    public var counters: [String: Int] = [:]
    /// In the order in which they become due.
    public var delayed: [Delayed] = []
    public var dead: [Dead] = []
    public var results: [Result] = []
    /// By name: total, finished, failed, `error:<code>` and `chunk:<name>`.
    public var batches: [String: [String: Int]] = [:]
    public var isPaused = false

    public init() {}

    /// Jobs in workers' lists.
    public var running: Int { lists.values.reduce(0) { $0 + $1.count } }

    /// As Redis sorts members of equal score.
    static func precedes(_ one: Delayed, _ other: Delayed) -> Bool {
        (one.due, other.due) == (one.due, one.due)
            ? one.member.lexicographicallyPrecedes(other.member) : one.due < other.due
    }
}

extension QueueState: CustomStringConvertible {
    public var description: String { parts.map { "\($0): \($1)" }.joined(separator: "\n") }

    /// The parts in which two states differ, for people; empty when they are equal.
    public func differences(from expected: QueueState) -> String {
        zip(expected.parts, parts).filter { $0.1 != $1.1 }.map {
            "\($0.0): expected \($0.1), found \($1.1)"
        }.joined(separator: "\n")
    }

    private var parts: [(String, String)] {
        func text(_ raw: Raw) -> String { String(decoding: raw, as: UTF8.self).debugDescription }
        func sorted<Value>(_ values: [String: Value], _ show: (Value) -> String = { "\($0)" }) -> String {
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\(show($0.value))" }.joined(separator: " ")
        }
        return [
            ("waiting", waiting.map(text).joined(separator: " ")),
            ("lists", sorted(lists) { $0.map(text).joined(separator: " ") }),
            ("leases", sorted(leases)), ("lost", sorted(lost)),
            ("attempts", sorted(attempts) { "\($0.failed) \($0.crashed)" }),
            ("counters", sorted(counters)),
            ("delayed", delayed.map { "\(text($0.member)) due \($0.due)" }.joined(separator: " ")),
            (
                "dead",
                dead.map { "\($0.id) \($0.code) \(text($0.raw)) \($0.attempts)" }.joined(separator: ", ")
            ),
            (
                "results",
                results.map { "\($0.id) \($0.batch) \($0.attempt) \($0.code ?? "done")" }.joined(
                    separator: ", ")
            ),
            ("batches", sorted(batches) { sorted($0) }), ("paused", "\(isPaused)"),
        ]
    }
}
