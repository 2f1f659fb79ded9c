/// Which of the regions that nobody uses are kept, and for whom.
struct SpareRegions {
    /// Of `excess`, in bytes.
    private(set) var limit: Int
    /// Bytes of regions that nobody uses, and of those in use the pages beyond what was asked for. Never more than
    /// `limit`.
    private(set) var excess = 0
    /// The one that was given last is at the end.
    private(set) var idle: [Region] = []

    init(limit: Int) {
        precondition(limit >= 0, "a pool of \(limit) bytes")
        self.limit = limit
    }

    /// The smallest that has room for `count` bytes; nil if there is none, or only some that are more than twice as
    /// large: those are worth more to others.
    mutating func take(_ count: Int) -> Region? {
        let fitting = idle.indices.filter { (count...2 * count).contains(idle[$0].count) }
        guard let best = fitting.min(by: { idle[$0].count < idle[$1].count }) else { return nil }
        excess -= Region.wholePages(count)
        return idle.remove(at: best)
    }

    /// Keeps `region`, of which `count` bytes were used.
    ///
    /// - Returns: what must go for it, longest unused first; perhaps the region itself.
    mutating func give(_ region: Region, usedFor count: Int) -> [Region] {
        excess += Region.wholePages(count)
        idle.append(region)
        return shrink()
    }

    /// - Returns: what must go.
    mutating func change(limit: Int) -> [Region] {
        precondition(limit >= 0, "a pool of \(limit) bytes")
        self.limit = limit
        return shrink()
    }

    private mutating func shrink() -> [Region] {
        var unwanted: [Region] = []
        while excess > limit, !idle.isEmpty {
            let region = idle.removeFirst()
            excess -= region.count
            unwanted.append(region)
        }
        return unwanted
    }
}
