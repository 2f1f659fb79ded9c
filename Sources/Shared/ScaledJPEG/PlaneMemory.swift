internal import Glibc

/// Zeroed memory for the samples of one plane.
///
/// Large planes are mapped, and their pages asked for all at once: an array, which is cleared page after page,
/// each with a fault of its own, took 4 % of the time of a picture of 2560 × 1600.
///
/// A host that refuses memory here traps, as for Swift's own arrays: the decode was admitted before.
@safe final class PlaneMemory: Sendable {
    let count: Int

    // Only who decodes a picture writes, and lets go of it before anybody else sees it.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let isMapped: Bool

    /// From here on memory is mapped: 64 pages, where a system call costs little beside filling them.
    private static let leastMapped = 256 << 10

    /// - Parameter count: at least one.
    init(count: Int) {
        precondition(count > 0)
        self.count = count
        isMapped = count >= Self.leastMapped
        let memory: UnsafeMutableRawPointer?
        if isMapped {
            let mapping = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            unsafe memory = mapping == MAP_FAILED ? nil : mapping
        } else {
            unsafe memory = calloc(count, 1)
        }
        guard let memory = unsafe memory else {
            preconditionFailure("the host has no memory for \(count) samples")
        }
        unsafe base = memory
        // Advice, which may be declined.
        if isMapped { _ = unsafe madvise(memory, count, MADV_POPULATE_WRITE) }
    }

    deinit {
        if isMapped {
            unsafe munmap(base, count)
        } else {
            unsafe free(base)
        }
    }

    /// Lends samples, `range` of them.
    func withSamples<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        let span = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(start: base, count: count))
        return body(span.extracting(range))
    }

    /// Lends all of them to who decodes.
    func withMutableSamples<Result>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
        unsafe body(UnsafeMutableBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count))
    }
}

extension PlaneMemory: Equatable {
    static func == (one: PlaneMemory, other: PlaneMemory) -> Bool {
        unsafe one.count == other.count && memcmp(one.base, other.base, one.count) == 0
    }
}
