/// A table of 2^width elements in memory of its own.
@safe final class LookupTable<Element: BitwiseCopyable> {
    /// For a loop that keeps the address in a register, as long as the table lives.
    let elements: UnsafeMutablePointer<Element>
    private let count: Int

    init(width: Int, repeating element: Element) {
        count = 1 << width
        unsafe elements = .allocate(capacity: count)
        unsafe elements.initialize(repeating: element, count: count)
    }

    deinit { unsafe elements.deallocate() }

    func fill(_ range: Range<Int>, with element: Element) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "inside of the table")
        for index in range { unsafe elements[index] = element }
    }
}
