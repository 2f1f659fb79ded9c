/// Which of the regions that nobody uses are kept, and for whom.
struct SpareRegions {
    /// Bytes that are always there for `slack` and `idle`.
    private(set) var own: Int
    /// Bytes for `idle` beside those: on loan, and asked back at any time.
    private(set) var lent = 0
    /// What regions in use have beyond the bytes that were asked for. It can't be given up before its user is done,
    /// so it is never on loan: never more than `own`.
    private(set) var slack = 0
    /// The one that was given last is at the end.
    private(set) var idle: [Region] = []

    /// Never more than `own` and `lent`.
    var excess: Int { slack + idle.reduce(0) { $0 + $1.count } }

    init(own: Int) {
        precondition(own >= 0, "a pool of \(own) bytes")
        self.own = own
    }

    /// The smallest that has room for `count` bytes; nil if there is none, or only some that are more than twice as
    /// large: those are worth more to others.
    mutating func take(_ count: Int) -> Region? {
        let pages = Region.wholePages(count)
        let largest = min(2 * count, pages + own - slack)
        let fitting = idle.indices.filter { idle[$0].count >= count && idle[$0].count <= largest }
        guard let best = fitting.min(by: { idle[$0].count < idle[$1].count }) else { return nil }
        let region = idle.remove(at: best)
        slack += region.count - pages
        return region
    }

    /// Keeps `region`, of which `count` bytes were used.
    ///
    /// - Returns: what must go for it, longest unused first; perhaps the region itself.
    mutating func give(_ region: Region, usedFor count: Int) -> [Region] {
        slack -= region.count - Region.wholePages(count)
        idle.append(region)
        return shrink()
    }

    /// - Parameter own: bytes from now on.
    /// - Returns: what must go.
    mutating func change(own: Int) -> [Region] {
        precondition(own >= 0, "a pool of \(own) bytes")
        self.own = own
        return shrink()
    }

    /// - Parameter lent: bytes from now on.
    /// - Returns: what must go.
    mutating func change(lent: Int) -> [Region] {
        precondition(lent >= 0, "a loan of \(lent) bytes")
        self.lent = lent
        return shrink()
    }

    private mutating func shrink() -> [Region] {
        var unwanted: [Region] = []
        while excess - own > lent, !idle.isEmpty { unwanted.append(idle.removeFirst()) }
        return unwanted
    }
}
