/// Memory for what lanes write: `LaneWord`s of 32 bits.
///
/// Sized for the shortest blocks that there can be, and used for as many as there are: pages that nobody has
/// written to are not there.
final class LaneWords {
    let count: Int
    private let memory: LoopMemory<UInt32>
    /// Valid as long as these words.
    var elements: UncheckedMutable<UInt32> { memory.elements }

    init(count: Int) {
        self.count = count
        memory = LoopMemory(uninitialized: count)
    }

    /// Position in the window, in bits.
    func position(_ index: Int) -> Int {
        precondition(index >= 0 && index < count)
        return Int(elements[unchecked: index] >> UInt32(LaneWord.positionShift))
    }

    /// The first word of these that ends what is no block.
    func firstFault(_ range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        var all: UInt32 = 0
        for index in range { all |= elements[unchecked: index] }
        guard all & UInt32(LaneWord.fault) != 0 else { return nil }
        return range.first { elements[unchecked: $0] & UInt32(LaneWord.fault) != 0 }
    }
}
