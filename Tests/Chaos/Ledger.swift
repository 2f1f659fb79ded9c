import JobQueue
import Synchronization

/// What producers pushed: the one side of the account. The other is what Redis holds at the end.
final class Ledger: Sendable {
    /// What a job is made to become, left alone.
    enum Kind: String, Sendable, CaseIterable {
        case good, slow, truncated, missing, unwritable, rubbish, notUTF8, newerVersion, poison
    }

    /// What a producer knows of a push.
    enum Push: Sendable, Equatable {
        case acknowledged
        /// The connection broke before the answer: it is in Redis, or not.
        case uncertain
    }

    struct Entry: Sendable {
        let kind: Kind
        var push: Push
    }

    private let entries = Mutex<[String: Entry]>([:])

    func note(_ id: String, _ kind: Kind, _ push: Push) {
        entries.withLock { entries in
            precondition(entries[id] == nil, "two jobs named \(id)")
            entries[id] = Entry(kind: kind, push: push)
        }
    }

    var all: [String: Entry] { entries.withLock { $0 } }
    var count: Int { entries.withLock { $0.count } }
}
