/// One command: its words as bytes, and what may be done about it when its answer is lost.
public struct RedisCommand: Sendable {
    /// All words one after the other, and where each ends: one allocation for a command of 500 jobs.
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []
    /// Running it twice does no harm: it may be sent again when nobody knows whether it ran.
    public var mayBeReplayed: Bool
    /// How long the server may hold the answer back (the time-out of a blocking pop); nil: not at all.
    public var blocksFor: Duration?

    public init(_ words: String..., mayBeReplayed: Bool = false, blocksFor: Duration? = nil) {
        precondition(!words.isEmpty, "a command has a name")
        self.mayBeReplayed = mayBeReplayed
        self.blocksFor = blocksFor
        for word in words { append(word) }
    }

    public mutating func append(_ word: String) {
        bytes.append(contentsOf: word.utf8)
        ends.append(bytes.count)
    }

    public mutating func append(_ word: [UInt8]) {
        bytes.append(contentsOf: word)
        ends.append(bytes.count)
    }

    public mutating func append(_ number: Int) { append(String(number)) }
}
