internal import Glibc

/// Zeroed memory for a fixed number of elements.
///
/// Much of it is mapped, and its pages asked for all at once, large ones where they fit in whole. Coefficients
/// and history of a progressive photograph of 13 megapixels are 1600 small pages, and a fault for each took a
/// tenth of the time; the planes of a picture of 2560 × 1600 are 420, which took 4 %.
///
/// A host that refuses memory here traps: the footprint was admitted before, and Swift's own arrays would trap
/// as well.
@safe final class ZeroedMemory<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
    /// For a loop that keeps the address in a register, as long as the memory lives. Only who decodes a picture
    /// writes, and lets go of it before anybody else sees it.
    nonisolated(unsafe) let elements: UnsafeMutableBufferPointer<Element>
    private let bytes: Int

    /// From here on memory is mapped: 64 pages, where a system call costs little beside filling them.
    private static var leastMapped: Int { 256 << 10 }

    /// - Parameter count: greater than zero.
    init(count: Int) {
        bytes = count * MemoryLayout<Element>.stride
        let start = unsafe bytes < Self.leastMapped ? calloc(bytes, 1) : Self.map(bytes)
        guard let start = unsafe start else {
            preconditionFailure("the host has no memory for \(bytes) bytes")
        }
        unsafe elements = UnsafeMutableBufferPointer(
            start: start.bindMemory(to: Element.self, capacity: count), count: count)
    }

    deinit {
        let start = unsafe elements.baseAddress
        guard bytes >= Self.leastMapped else { return unsafe free(start) }
        let status = unsafe munmap(start, bytes)
        precondition(status == 0, "a whole mapping can always be given back")
    }

    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard unsafe start != MAP_FAILED else { return nil }
        // Advice, which may be declined.
        _ = unsafe madvise(start, bytes, MADV_HUGEPAGE)
        _ = unsafe madvise(start, bytes, MADV_POPULATE_WRITE)
        return unsafe start
    }
}

extension ZeroedMemory: Equatable {
    static func == (one: ZeroedMemory, other: ZeroedMemory) -> Bool {
        unsafe one.bytes == other.bytes
            && memcmp(one.elements.baseAddress!, other.elements.baseAddress!, one.bytes) == 0
    }
}
