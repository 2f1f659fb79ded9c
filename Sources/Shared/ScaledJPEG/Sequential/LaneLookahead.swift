/// Finds out where blocks begin, ahead of whoever reads them: several lanes at once, which start at restart
/// markers and at guesses.
///
/// Huffman streams resynchronise: wherever a lane begins, soon it reads what is there, mostly within a
/// hundred bytes. But nothing is believed for that. A lane's words are given out once it has met the reader:
/// at the same bit, and at blocks from which on all tables are the same. Then the same bits mean the same.
/// Where they do not meet, and where bits are no block, nothing is known, and the reader is on its own.
struct LaneLookahead {
    private let plan: LanePlan
    private let tables: LaneTables
    private let symbols: [HuffmanLookup.Entry]
    private let slots: [BlockSlot]
    /// `LaneTables.recurrence`.
    private let recurrence: Int
    let words: LaneWords

    private var pieces: [LanePiece] = []
    /// The piece that the reader is in.
    private var current = 0
    /// The word where the reader's MCU starts; nil when the reader is on its own.
    private var next: Int?
    /// The word where the last known MCU of the current piece ends.
    private var limit = 0
    /// The first word of an MCU that starts in the piece behind: from there on each may be the meeting.
    private var shared = 0
    /// The word of the piece behind before which there is no meeting.
    private var candidate = 0
    /// Pieces in a row that were not met.
    private var failures = 0

    /// Pieces in a row that are not met, before lanes are given up for good. Some pictures never
    /// resynchronise: of a checkerboard of single pixels all blocks are alike.
    static let mostFailures = 4

    init(_ plan: LanePlan, _ tables: ScanTables, _ slots: [BlockSlot], windowCapacity: Int) {
        precondition(LaneWord(position: 8 * (windowCapacity + LanePlan.tail)).bits <= UInt32.max)
        self.plan = plan
        self.tables = LaneTables(tables, slots)
        recurrence = self.tables.recurrence
        symbols = tables.symbols
        self.slots = slots
        words = LaneWords(count: LanePlan.words(ofWindow: windowCapacity))
    }

    var isHopeless: Bool { failures >= Self.mostFailures }

    /// The window moves: all positions are others.
    mutating func forget() {
        pieces = []
        next = nil
    }

    /// MCUs whose blocks are known, from the reader's on; it goes on behind them.
    ///
    /// - Parameters:
    ///   - position: of an MCU, in bits of the window.
    ///   - most: how many are wanted, at least one.
    /// - Returns: for each block the word where it starts, and one more; nil when the reader is on its own.
    mutating func take(at position: Int, most: Int, of window: EntropyWindow) -> Range<Int>? {
        if position >= pieces.last?.limit ?? 0 { setOut(from: position, over: window) }
        meet(at: position, window)
        // At a restart the reader has passed padding: behind the last piece of a plan no other has met it.
        guard let start = next, start < limit, words.position(start) == position else {
            next = nil
            return nil
        }
        let count = start < shared ? min(most, (shared - start) / slots.count) : 1
        let end = start + count * slots.count
        next = end
        return start..<end + 1
    }

    /// Shares the window out among lanes, from a position that is proven.
    private mutating func setOut(from position: Int, over window: EntropyWindow) {
        forget()
        guard window.count - position / 8 >= plan.least else { return }
        pieces = plan.pieces(
            from: position, window.restarts, end: window.count, room: words.count,
            leastBits: tables.leastBitsOfBlock)
        guard let first = pieces.first else { return }
        tables.read(&pieces, window, symbols, slots, into: words)
        enter(0, at: first.words, window)
    }

    /// Looks for the reader's MCU in the pieces that start before it.
    private mutating func meet(at position: Int, _ window: EntropyWindow) {
        while current + 1 < pieces.count, pieces[current + 1].start <= position {
            let piece = pieces[current + 1]
            let end = piece.words + piece.blocks
            while candidate <= end, words.position(candidate) < position { candidate += recurrence }
            if candidate > end {
                failures += 1
                next = nil
                current += 1
                candidate = current + 1 < pieces.count ? pieces[current + 1].words : 0
            } else if words.position(candidate) == position {
                failures = 0
                enter(current + 1, at: candidate, window)
            } else {
                return
            }
        }
    }

    /// Goes on in a piece, from the word where the reader and it have met.
    private mutating func enter(_ number: Int, at meeting: Int, _ window: EntropyWindow) {
        let piece = pieces[number]
        current = number
        next = meeting
        func lastMCU(before word: Int) -> Int { word - (word - meeting) % slots.count }
        limit = lastMCU(before: piece.words + piece.blocks)
        if let fault = words.firstFault(meeting + 1..<limit + 1) { limit = lastMCU(before: fault - 1) }
        // What a lane read behind the window is not there.
        while limit > meeting, words.position(limit) > 8 * window.count { limit -= slots.count }
        shared = limit
        candidate = 0
        guard number + 1 < pieces.count else { return }
        candidate = pieces[number + 1].words
        let start = pieces[number + 1].start
        while shared > meeting, words.position(shared - slots.count) >= start { shared -= slots.count }
    }
}
