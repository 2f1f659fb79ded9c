/// A table of 2^width elements in memory of its own.
final class LookupTable<Element: BitwiseCopyable> {
    private let memory: LoopMemory<Element>

    init(width: Int, repeating element: Element) {
        memory = LoopMemory(repeating: element, count: 1 << width)
    }

    /// For a loop that keeps the address in a register, as long as the table lives.
    var elements: Unchecked<Element> { memory.elements.reading }

    func fill(_ range: Range<Int>, with element: Element) {
        precondition(range.lowerBound >= 0 && range.upperBound <= memory.count, "inside of the table")
        for index in range { memory.elements[unchecked: index] = element }
    }
}
