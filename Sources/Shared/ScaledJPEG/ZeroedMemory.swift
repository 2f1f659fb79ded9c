internal import Buffers
internal import Glibc

/// Zeroed memory for a fixed number of elements: the planes and coefficients of one picture.
///
/// A host that refuses memory here traps: the footprint was admitted before, and Swift's own arrays would trap
/// as well.
@safe final class ZeroedMemory<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
    /// For a loop that keeps the address in a register, as long as the memory lives. Only who decodes a picture
    /// writes, and lets go of it before anybody else sees it.
    nonisolated(unsafe) let elements: UnsafeMutableBufferPointer<Element>
    private let memory: PooledBuffer

    /// - Parameter count: greater than zero.
    init(count: Int) {
        let bytes = count * MemoryLayout<Element>.stride
        guard let memory = PooledBuffer(count: bytes, content: .zeros) else {
            preconditionFailure("the host has no memory for \(bytes) bytes")
        }
        unsafe elements = memory.bytes.bindMemory(to: Element.self)
        self.memory = memory
    }
}

extension ZeroedMemory: Equatable {
    static func == (one: ZeroedMemory, other: ZeroedMemory) -> Bool {
        unsafe one.memory.bytes.count == other.memory.bytes.count
            && memcmp(
                one.memory.bytes.baseAddress!, other.memory.bytes.baseAddress!, one.memory.bytes.count) == 0
    }
}
