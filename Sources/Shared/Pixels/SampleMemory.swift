internal import Buffers

/// Zeroed memory for a fixed number of samples, with one owner.
///
/// A host that refuses memory here traps: the footprint was admitted before, so the host promised
/// more than it has, and Swift's own arrays would trap as well.
@safe struct SampleMemory<Sample: BitwiseCopyable>: ~Copyable {
    let count: Int
    let base: UnsafeMutablePointer<Sample>
    private let memory: PooledBuffer

    /// - Parameter count: greater than zero. Zeroed bits must be a sample, as they are of every integer.
    init(count: Int) {
        precondition(count > 0, "no memory for \(count) samples")
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Sample>.stride)
        precondition(!overflow, "\(count) samples exceed the address space")
        guard let memory = PooledBuffer(count: bytes, content: .zeros),
            let start = unsafe memory.bytes.baseAddress
        else {
            preconditionFailure("the host has no memory for \(bytes) bytes of samples")
        }
        self.count = count
        unsafe base = start.bindMemory(to: Sample.self, capacity: count)
        self.memory = memory
    }

    /// What an owner of this many samples takes from the process, allocator's overhead included.
    static func allocatedBytes(count: Int) -> Int {
        SampleMemoryLimits.allocatedBytes(payload: count * MemoryLayout<Sample>.stride)
    }

    var allocatedBytes: Int { Self.allocatedBytes(count: count) }
}

enum SampleMemoryLimits {
    private static let page = 4096

    /// An upper bound for a payload from either source. A heap block has a header of 8 bytes, is
    /// rounded up to 16, is never below 32, and keeps a rest of 16 that is too small to be split off;
    /// a mapping is rounded up to pages, and glibc's own has a header of 16.
    static func allocatedBytes(payload: Int) -> Int {
        if payload >= PooledBuffer.leastMapped { return roundedUp(payload + 32, to: page) }
        return max(32, roundedUp(payload + 8, to: 16)) + 16
    }

    static func roundedUp(_ value: Int, to unit: Int) -> Int { (value + unit - 1) / unit * unit }
}
