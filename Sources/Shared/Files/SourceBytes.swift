internal import Glibc
public import Units

/// A file's bytes in a mapping of their own, which goes back to the kernel as a whole when nobody refers
/// to it any more: no heap stays fragmented behind a large source. Never changed after it was filled.
@safe public final class SourceBytes: Sendable {
    public let count: ByteCount

    // Written only before `init` returns, and read-only for everyone afterwards.
    private nonisolated(unsafe) let mapping: UnsafeMutableRawBufferPointer

    /// Maps `count` bytes and lets `fill` put the content there; nil when it fills fewer.
    init?(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) {
        self.count = ByteCount(count)
        unsafe mapping = try Self.map(count)
        guard unsafe try fill(mapping) == count else { return nil }
    }

    deinit {
        unsafe Self.unmap(mapping)
    }

    /// Lends the bytes to `body`.
    public func withBytes<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(mapping))
        return try body(span)
    }

    private static func map(_ count: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        // The kernel maps no empty range.
        guard count > 0 else { return unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { throw .last }
        // Advice, which may be declined: large pages, and all at once. A fault for each small page, and giving
        // each back, took a tenth of the time of a photograph of 12 megapixels.
        _ = unsafe madvise(start, count, MADV_HUGEPAGE)
        _ = unsafe madvise(start, count, MADV_POPULATE_WRITE)
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    private static func unmap(_ mapping: UnsafeMutableRawBufferPointer) {
        guard let start = mapping.baseAddress else { return }
        let status = unsafe munmap(start, mapping.count)
        precondition(status == 0, "a whole mapping can always be given back")
    }
}
