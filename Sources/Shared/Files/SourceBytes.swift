internal import Glibc
public import Units

/// A file's bytes. A large file's are in a mapping of their own, which goes back to the kernel as a whole when
/// nobody refers to it any more: no heap stays fragmented behind them. Never changed after they were filled.
@safe public final class SourceBytes: Sendable {
    public let count: ByteCount

    /// A smaller file's bytes come from the heap: of a job of 20 KB, mapping them and giving the mapping back,
    /// of which every core is told, took 3 %.
    static let mapThreshold = 64 << 10

    // Written only before `init` returns, and read-only for everyone afterwards.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    /// Takes memory for `count` bytes and lets `fill` put the content there; nil when it fills fewer.
    init?(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) {
        self.count = ByteCount(count)
        unsafe memory = try Self.take(count)
        guard unsafe try fill(memory) == count else { return nil }
    }

    deinit {
        unsafe Self.giveBack(memory)
    }

    /// Lends the bytes to `body`.
    public func withBytes<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(memory))
        return try body(span)
    }

    private static func take(_ count: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        guard count >= mapThreshold else {
            return UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        }
        let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { throw .last }
        // Advice, which may be declined: large pages, and all at once. A fault for each small page, and giving
        // each back, took a tenth of the time of a photograph of 12 megapixels.
        _ = unsafe madvise(start, count, MADV_HUGEPAGE)
        _ = unsafe madvise(start, count, MADV_POPULATE_WRITE)
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    private static func giveBack(_ memory: UnsafeMutableRawBufferPointer) {
        guard memory.count >= mapThreshold, let start = memory.baseAddress else {
            return unsafe memory.deallocate()
        }
        let status = unsafe munmap(start, memory.count)
        precondition(status == 0, "a whole mapping can always be given back")
    }
}
