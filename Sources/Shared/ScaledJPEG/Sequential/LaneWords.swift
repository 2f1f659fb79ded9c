/// Memory for what lanes write: `LaneWord`s of 32 bits.
///
/// Sized for the shortest blocks that there can be, and used for as many as there are: pages that nobody has
/// written to are not there.
@safe final class LaneWords {
    let count: Int
    let base: UnsafeMutablePointer<UInt32>

    init(count: Int) {
        self.count = count
        unsafe base = .allocate(capacity: count)
    }

    deinit { unsafe base.deallocate() }

    /// Position in the window, in bits.
    func position(_ index: Int) -> Int {
        precondition(index >= 0 && index < count)
        return unsafe Int(base[index] >> UInt32(LaneWord.positionShift))
    }

    /// The first word of these that ends what is no block.
    func firstFault(_ range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        var all: UInt32 = 0
        for index in range { unsafe all |= base[index] }
        guard all & UInt32(LaneWord.fault) != 0 else { return nil }
        return range.first { unsafe base[$0] & UInt32(LaneWord.fault) != 0 }
    }
}
