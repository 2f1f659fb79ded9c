internal import Glibc

/// Memory for a fixed number of bytes, with one owner. Small buffers come from the heap. Large ones are mappings of their
/// own: no hole in the heap stays behind them, and `BufferPool` keeps some for whoever comes next.
@safe public struct PooledBuffer: ~Copyable, Sendable {
    /// As long as the buffer lives; aligned to 16 bytes.
    public nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    /// Nil when the bytes come from the heap.
    private let region: Region?

    public enum Content: Sendable {
        case zeros
        /// Whatever was there before: for those who write every byte that they read.
        case anything
    }

    /// From here on memory is mapped. Of a job of 20 KB, mapping its file's bytes and giving the mapping back, of
    /// which every core is told, took 3 %.
    public static let leastMapped = 64 << 10

    /// Nil where the host has no memory.
    ///
    /// - Parameter count: ≥ 0.
    public init?(count: Int, content: Content) {
        precondition(count >= 0, "a buffer of \(count) bytes")
        guard let (start, region) = unsafe Self.memory(count, content) else { return nil }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
        self.region = region
    }

    private static func memory(_ count: Int, _ content: Content) -> (UnsafeMutableRawPointer, Region?)? {
        guard count >= leastMapped else {
            return unsafe calloc(max(count, 1), 1).map { unsafe ($0, nil) }
        }
        guard let kept = BufferPool.take(count) else {
            return unsafe Region(mapping: count).map { unsafe ($0.start, $0) }
        }
        if content == .zeros { unsafe memset(kept.start, 0, count) }
        return unsafe (kept.start, kept)
    }

    deinit {
        guard let region else { return unsafe free(bytes.baseAddress) }
        BufferPool.give(region, usedFor: unsafe bytes.count)
    }
}

/// Whole pages that nothing else is in.
@safe struct Region: Equatable, Sendable {
    nonisolated(unsafe) let start: UnsafeMutableRawPointer
    let count: Int

    private static let page = 4096

    static func wholePages(_ bytes: Int) -> Int { (bytes + page - 1) / page * page }

    init(start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = unsafe start
        self.count = count
    }

    /// Zeroed pages for `bytes`, all resident; nil where the host has no memory.
    ///
    /// They are asked for all at once, large ones where they fit in whole. A fault for each small page, and giving each
    /// back, took a tenth of the time of a photograph of 12 megapixels, and as much of a progressive one's coefficients.
    init?(mapping bytes: Int) {
        count = Self.wholePages(bytes)
        let mapped = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
        unsafe start = unsafe mapped
        // Advice, which may be declined.
        _ = unsafe madvise(start, count, MADV_HUGEPAGE)
        _ = unsafe madvise(start, count, MADV_POPULATE_WRITE)
    }

    static func == (one: Region, other: Region) -> Bool {
        unsafe one.start == other.start && one.count == other.count
    }

    func unmap() {
        let status = unsafe munmap(start, count)
        precondition(status == 0, "a whole mapping can always be given back")
    }
}
