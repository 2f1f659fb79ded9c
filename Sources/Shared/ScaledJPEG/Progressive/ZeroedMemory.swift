import Glibc

/// Zeroed memory for a fixed number of elements, mapped by itself: all pages come at once, and large ones where
/// they fit in whole.
///
/// Of a photograph of 13 megapixels coefficients and history are 1600 small pages, and a fault for each took a
/// tenth of the time.
///
/// A host that refuses memory here traps: the footprint was admitted before, and Swift's own arrays would trap
/// as well.
@safe final class ZeroedMemory<Element: FixedWidthInteger & BitwiseCopyable> {
    /// For a loop that keeps the address in a register, as long as the memory lives.
    let elements: UnsafeMutableBufferPointer<Element>
    private let mapping: UnsafeMutableRawPointer
    private let bytes: Int

    /// - Parameter count: greater than zero.
    init(count: Int) {
        bytes = count * MemoryLayout<Element>.stride
        let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            preconditionFailure("the host has no memory for \(count) elements")
        }
        // Advice, which may be declined.
        _ = unsafe madvise(start, bytes, MADV_HUGEPAGE)
        _ = unsafe madvise(start, bytes, MADV_POPULATE_WRITE)
        unsafe mapping = start
        unsafe elements = UnsafeMutableBufferPointer(
            start: start.bindMemory(to: Element.self, capacity: count), count: count)
    }

    deinit {
        let status = unsafe munmap(mapping, bytes)
        precondition(status == 0, "a whole mapping can always be given back")
    }
}
