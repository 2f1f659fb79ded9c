import Testing

@testable import Buffers

/// Regions that are nowhere: what is decided about them never looks into them.
private func region(_ number: Int, pages: Int) -> Region {
    let start = unsafe UnsafeMutableRawPointer(bitPattern: number << 32)!
    return unsafe Region(start: start, count: pages << 12)
}

private func bytes(pages: Int) -> Int { pages << 12 }

@Suite struct SpareRegionsTests {
    @Test func `what is given is taken again`() {
        var spare = SpareRegions(own: bytes(pages: 100))
        let one = region(1, pages: 30)
        #expect(spare.give(one, usedFor: one.count).isEmpty)
        #expect(spare.take(one.count) == one)
        #expect(spare.take(one.count) == nil)
        #expect(spare.excess == 0)
    }

    @Test func `the smallest region with room is taken`() {
        var spare = SpareRegions(own: bytes(pages: 100))
        for pages in [40, 20, 30] {
            _ = spare.give(region(pages, pages: pages), usedFor: bytes(pages: pages))
        }
        #expect(spare.take(bytes(pages: 25)) == region(30, pages: 30))
    }

    @Test func `a region more than twice as large is left to others`() {
        var spare = SpareRegions(own: bytes(pages: 100))
        _ = spare.give(region(1, pages: 41), usedFor: bytes(pages: 41))
        #expect(spare.take(bytes(pages: 20)) == nil)
        #expect(spare.take(bytes(pages: 21)) != nil)
    }

    @Test func `what was unused longest goes first`() {
        var spare = SpareRegions(own: bytes(pages: 50))
        _ = spare.give(region(1, pages: 20), usedFor: bytes(pages: 20))
        _ = spare.give(region(2, pages: 20), usedFor: bytes(pages: 20))
        // Used again, so the second one is the oldest.
        let first = spare.take(bytes(pages: 19))
        #expect(first == region(2, pages: 20) || first == region(1, pages: 20))
        guard let first else { return }
        _ = spare.give(first, usedFor: bytes(pages: 19))
        let other = first == region(1, pages: 20) ? region(2, pages: 20) : region(1, pages: 20)
        #expect(spare.give(region(3, pages: 20), usedFor: bytes(pages: 20)) == [other])
    }

    @Test func `what is larger than the limit is never kept`() {
        var spare = SpareRegions(own: bytes(pages: 10))
        let large = region(1, pages: 11)
        #expect(spare.give(large, usedFor: large.count) == [large])
        #expect(spare.excess == 0)
    }

    @Test func `a pool of nothing keeps nothing`() {
        var spare = SpareRegions(own: 0)
        let one = region(1, pages: 1)
        #expect(spare.give(one, usedFor: 1) == [one])
        #expect(spare.idle.isEmpty)
    }

    @Test func `a lower limit lets go of what is over it`() {
        var spare = SpareRegions(own: bytes(pages: 100))
        for number in 1...5 { _ = spare.give(region(number, pages: 20), usedFor: bytes(pages: 20)) }
        #expect(
            spare.change(own: bytes(pages: 45)).map(\.count) == Array(repeating: bytes(pages: 20), count: 3)
        )
        #expect(spare.excess == bytes(pages: 40))
    }

    @Test func `more is kept on loan, until it is asked back`() {
        var spare = SpareRegions(own: bytes(pages: 10))
        #expect(spare.change(lent: bytes(pages: 30)).isEmpty)
        #expect(spare.give(region(1, pages: 40), usedFor: bytes(pages: 40)).isEmpty)
        #expect(spare.change(lent: bytes(pages: 29)) == [region(1, pages: 40)])
        #expect(spare.excess == 0)
    }

    @Test func `what a user has too much is never on loan, since it cannot be asked back`() {
        var spare = SpareRegions(own: bytes(pages: 10))
        _ = spare.change(lent: bytes(pages: 100))
        for number in 1...3 { _ = spare.give(region(number, pages: 20), usedFor: bytes(pages: 20)) }
        #expect(spare.take(bytes(pages: 14)) != nil)
        #expect(spare.take(bytes(pages: 14)) == nil)
        #expect(spare.take(bytes(pages: 16)) != nil)
        #expect(spare.slack == bytes(pages: 10))
        _ = spare.change(lent: 0)
        #expect(spare.idle.isEmpty && spare.excess == bytes(pages: 10))
    }

    /// Whoever uses a region has been admitted with the bytes that it asked for; all else is excess.
    @Test func `what is held beside the bytes in use never passes what is there for it`() {
        var random = SystemRandomNumberGenerator()
        var spare = SpareRegions(own: bytes(pages: 64))
        var inUse: [(Region, asked: Int)] = []
        var next = 1
        for _ in 0..<20_000 {
            if Int.random(in: 0..<5, using: &random) == 0 {
                _ = spare.change(lent: Int.random(in: 0...bytes(pages: 100), using: &random))
            }
            if inUse.count > 5 || (!inUse.isEmpty && Bool.random(using: &random)) {
                let (region, asked) = inUse.remove(at: Int.random(in: inUse.indices, using: &random))
                _ = spare.give(region, usedFor: asked)
            } else {
                let asked = Int.random(in: 1...bytes(pages: 50), using: &random)
                if let taken = spare.take(asked) {
                    #expect(taken.count >= asked)
                    inUse.append((taken, asked))
                } else {
                    let pages = Region.wholePages(asked) >> 12
                    inUse.append((region(next, pages: pages), asked))
                    next += 1
                }
            }
            let slack = inUse.reduce(0) { $0 + $1.0.count - Region.wholePages($1.asked) }
            let idle = spare.idle.reduce(0) { $0 + $1.count }
            #expect(spare.excess == slack + idle)
            #expect(slack <= spare.own)
            #expect(spare.excess <= spare.own + spare.lent)
        }
    }
}
