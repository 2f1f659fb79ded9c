/// How the coefficients of a row of blocks lie in memory: eight adjacent blocks take turns, so that one
/// vector holds the same coefficient of all eight.
struct BlockGroups: Equatable {
    let k: Int
    /// Groups of eight blocks; the last may have room to spare.
    let count: Int
    /// Blocks of a group.
    static let size = 8

    init(blocks: Int, eighths k: Int) {
        self.k = k
        count = blocks.dividedRoundingUp(by: Self.size)
    }

    /// Coefficients of the whole row.
    var coefficients: Int { count * k * k * Self.size }

    /// Where coefficient 0 (DC) of a block is. Coefficient `position` (v · k + u) is `position · 8` behind it.
    @inline(always)
    func index(ofBlock block: Int) -> Int { (block >> 3) &* (k &* k &* Self.size) &+ block & 7 }
}

extension FrameComponent {
    /// Rows of blocks are kept in whole groups, for the transform.
    func columnsKept(eighths k: Int) -> Int {
        BlockGroups(blocks: storedColumns, eighths: k).count * BlockGroups.size
    }
}
