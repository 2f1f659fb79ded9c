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
    /// Bytes from one guess to the next. Too few, and much is read twice; too many, and lanes have nothing
    /// to do at the window's end.
    var chunk = 4 << 10
    /// Bytes that a piece goes on beyond the next one's start, so that the two can meet.
    var overlap = 96
    /// Bytes of a scan for which tables are made.
    var leastScan = 16 << 10
    /// Bytes of a window for which lanes set out.
    var leastWindow = 1 << 10
    /// Pieces of one plan: of many short intervals the others are for the next plan.
    var mostPieces = 1 << 10

    /// Bytes behind a window that lanes may read: what they pass between two checks, when they were one bit
    /// before a limit that is one bit beyond the window; and a load of eight.
    static let tail = (LaneKernel.stepsPerCheck * LaneKernel.mostBitsOfStep + 1).dividedRoundingUp(by: 8) + 8
    /// Bits of the shortest block: two codes.
    private static let leastBitsOfBlock = 2
    /// Words of a piece besides those of its blocks: its start, and those of steps before the next check.
    private static let spareWords = LaneKernel.stepsPerCheck + 2

    /// Words of a piece at most.
    static func words(from start: Int, to limit: Int) -> Int {
        (limit - start) / leastBitsOfBlock + spareWords
    }

    /// Words of any plan over a window.
    func mostWords(ofWindow capacity: Int) -> Int {
        (8 * capacity + mostPieces * (8 * overlap + 1)) / Self.leastBitsOfBlock
            + mostPieces * Self.spareWords
    }

    /// - Parameters:
    ///   - first: position of a block, in bits.
    ///   - restarts: bytes at which blocks are known to begin, rising; those up to `first` do not matter.
    ///   - end: bytes of the window.
    func pieces(from first: Int, _ restarts: [Int], end: Int) -> [LanePiece] {
        var pieces: [LanePiece] = []
        var (start, words) = (first, 0)
        func add(to limit: Int, then next: Int) {
            pieces.append(LanePiece(start: start, limit: limit, words: words))
            words += Self.words(from: start, to: limit)
            start = next
        }
        for known in restarts + [end] where 8 * known > first {
            while known - start / 8 > chunk + chunk / 2, pieces.count < mostPieces {
                let guess = start / 8 + chunk
                add(to: 8 * min(guess + overlap, known), then: 8 * guess)
            }
            guard pieces.count < mostPieces else { break }
            // One bit beyond, so that the last block's end is found for sure.
            add(to: 8 * known + 1, then: 8 * known)
        }
        return pieces
    }
}
