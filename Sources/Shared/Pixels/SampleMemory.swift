import Glibc

/// Zeroed memory for a fixed number of samples, with one owner.
///
/// Small runs come from the heap. Large ones are mapped, so that freeing one lowers the process' RSS
/// at once instead of leaving a hole in an arena.
///
/// A host that refuses memory here traps: the footprint was admitted before, so the host promised
/// more than it has, and Swift's own arrays would trap as well.
@safe struct SampleMemory<Sample: BitwiseCopyable>: ~Copyable {
    let count: Int
    let base: UnsafeMutablePointer<Sample>
    private let isMapped: Bool

    /// - Parameter count: greater than zero. Zeroed bits must be a sample, as they are of every integer.
    init(count: Int) {
        precondition(count > 0, "no memory for \(count) samples")
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Sample>.stride)
        precondition(!overflow, "\(count) samples exceed the address space")
        self.count = count
        isMapped = bytes >= SampleMemoryLimits.mapThreshold
        let memory: UnsafeMutableRawPointer?
        if isMapped {
            let mapping = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            unsafe memory = mapping == MAP_FAILED ? nil : mapping
        } else {
            unsafe memory = calloc(bytes, 1)
        }
        guard let memory = unsafe memory else {
            preconditionFailure("the host has no memory for \(bytes) bytes of samples")
        }
        unsafe base = memory.bindMemory(to: Sample.self, capacity: count)
    }

    deinit {
        if isMapped {
            unsafe munmap(base, count * MemoryLayout<Sample>.stride)
        } else {
            unsafe free(base)
        }
    }

    /// What an owner of this many samples takes from the process, allocator's overhead included.
    static func allocatedBytes(count: Int) -> Int {
        SampleMemoryLimits.allocatedBytes(payload: count * MemoryLayout<Sample>.stride)
    }

    var allocatedBytes: Int { Self.allocatedBytes(count: count) }
}

enum SampleMemoryLimits {
    /// From here on memory is mapped: 64 pages, where a system call costs little beside filling them.
    static let mapThreshold = 256 << 10

    /// glibc maps a block of its own accord from here on, unless told otherwise.
    private static let heapMapThreshold = 128 << 10

    private static let page = 4096

    /// An upper bound for a payload from either source. A heap block has a header of 8 bytes, is
    /// rounded up to 16, is never below 32, and keeps a rest of 16 that is too small to be split off;
    /// one that glibc maps has 16 and is rounded up to pages.
    static func allocatedBytes(payload: Int) -> Int {
        if payload >= heapMapThreshold { return roundedUp(payload + 16, to: page) }
        return max(32, roundedUp(payload + 8, to: 16)) + 16
    }

    static func roundedUp(_ value: Int, to unit: Int) -> Int { (value + unit - 1) / unit * unit }
}
