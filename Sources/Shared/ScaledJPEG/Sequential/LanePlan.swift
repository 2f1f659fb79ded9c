/// A stretch of a window that one lane reads.
struct LanePiece {
    /// Position of its first bit: that of a block, or so it is hoped.
    let start: Int
    /// The lane stops soon after it has come this far.
    let limit: Int
    /// Where in `LaneWords` its words are: the start, then the end of each block.
    let words: Int
    /// Ends of blocks that were found.
    var blocks = 0
}

/// How a window is shared out among lanes.
struct LanePlan {
    /// Bytes from one guess to the next at most. As a rule a window is cut into as many pieces as there are
    /// lanes: with more of them more is read twice, and lanes have nothing to do while the last one ends.
    var chunk = 64 << 10
    /// Bytes that a piece goes on beyond the next one's start, so that the two can meet.
    var overlap = 64
    /// Bytes of a window for which lanes set out.
    var least = 1 << 10
    /// Pieces of one plan: of many short intervals the others are for the next.
    var mostPieces = 1 << 10
    /// Whether lanes set out even where they do not pay.
    var isAlways = false

    /// Bytes behind a window that lanes may read: what they pass between two checks, when they were one bit
    /// before a limit that is one bit beyond the window; and a load of eight.
    static let tail = (LaneKernel.stepsPerCheck * LaneKernel.mostBitsOfStep + 1).dividedRoundingUp(by: 8) + 8
    /// Words of a piece besides those of its blocks: its start, and those of steps before the next check.
    private static let spareWords = LaneKernel.stepsPerCheck + 2

    /// Words of a piece at most.
    ///
    /// - Parameter leastBits: `LaneTables.leastBitsOfBlock`.
    static func words(from start: Int, to limit: Int, leastBits: Int) -> Int {
        (limit - start) / leastBits + spareWords
    }

    /// Words that are enough for the whole of a window, unless it has very many intervals, or a code by which
    /// a block may have two bits.
    static func words(ofWindow capacity: Int) -> Int { 8 * capacity / 3 + 4 << 10 }

    /// Whether lanes are worth their tables: measured on photographs, as the sizes at which the sequential
    /// engine alone is as fast.
    ///
    /// The more of a block is wanted, the less there is to be passed over: at 4/8 only files with many bits
    /// a block gain. And what is found of an interval is handed over on its own.
    ///
    /// - Parameters:
    ///   - bytes: of the scan, its blocks, and its intervals.
    func pay(bytes: Int, blocks: Int, intervals: Int, eighths k: Int) -> Bool {
        if isAlways { return true }
        guard intervals == 1 || bytes / intervals >= 256 else { return false }
        return switch k {
        case 1: bytes >= 32 << 10
        case 2: bytes >= 48 << 10
        case 3: bytes >= 96 << 10
        default: bytes >= 192 << 10 && 8 * bytes / blocks >= 110
        }
    }

    /// - Parameters:
    ///   - first: position of a block, in bits.
    ///   - restarts: bytes at which blocks are known to begin, rising; those up to `first` do not matter.
    ///   - end: bytes of the window.
    ///   - room: words that there are; what does not fit is for the next plan.
    ///   - leastBits: `LaneTables.leastBitsOfBlock`.
    func pieces(
        from first: Int, _ restarts: [Int], end: Int, room: Int, leastBits: Int
    ) -> [LanePiece] {
        var pieces: [LanePiece] = []
        var (start, words) = (first, 0)
        let chunk = min(chunk, (end - first / 8).dividedRoundingUp(by: LaneKernel.lanes))
        func add(to limit: Int, then next: Int) -> Bool {
            let end = words + Self.words(from: start, to: limit, leastBits: leastBits)
            guard end <= room, pieces.count < mostPieces else { return false }
            pieces.append(LanePiece(start: start, limit: limit, words: words))
            (start, words) = (next, end)
            return true
        }
        for known in restarts + [end] where 8 * known > first {
            while known - start / 8 > chunk + chunk / 2 {
                let guess = start / 8 + chunk
                guard add(to: 8 * min(guess + overlap, known), then: 8 * guess) else { return pieces }
            }
            // One bit beyond, so that the last block's end is found for sure.
            guard add(to: 8 * known + 1, then: 8 * known) else { return pieces }
        }
        return pieces
    }
}
