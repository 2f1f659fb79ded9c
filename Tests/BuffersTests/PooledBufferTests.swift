import Testing

@testable import Buffers

/// One after the other: the pool belongs to the process.
@Suite(.serialized) struct PooledBufferTests {
    @Test(arguments: [0, 1, 15, PooledBuffer.leastMapped - 1, PooledBuffer.leastMapped, 1 << 20 + 1])
    func `a buffer has all its bytes, zeroed and aligned`(count: Int) {
        let buffer = buffer(of: count, .zeros)
        let isAsAsked = unsafe buffer.bytes.count == count && buffer.bytes.allSatisfy { $0 == 0 }
        #expect(isAsAsked)
        #expect(address(of: buffer) % 16 == 0)
        unsafe buffer.bytes.initializeMemory(as: UInt8.self, repeating: 255)
    }

    @Test func `a kept buffer is the same memory, and zeroed where zeros are asked for`() {
        BufferPool.keep(upTo: 4 << 20)
        defer { BufferPool.keep(upTo: 0) }
        let before = useOnce(1 << 20)
        let after = buffer(of: 900_000, .zeros)
        let isZeroed = unsafe after.bytes.allSatisfy { $0 == 0 }
        #expect(address(of: after) == before)
        #expect(isZeroed)
    }

    @Test func `nothing is kept until a limit is given`() {
        _ = useOnce(1 << 20)
        #expect(BufferPool.take(1 << 20) == nil)
    }

    @Test func `a buffer on loan is kept as long as the loan lasts`() {
        BufferPool.lend { 2 << 20 }
        defer { BufferPool.lend { 0 } }
        let before = useOnce(1 << 20)
        let kept = BufferPool.take(1 << 20)
        #expect(kept.map { unsafe Int(bitPattern: $0.start) } == before)
        if let kept { BufferPool.give(kept, usedFor: kept.count) }
        BufferPool.lend { 1 << 19 }
        #expect(BufferPool.take(1 << 20) == nil)
    }

    /// - Returns: where the buffer was.
    private func useOnce(_ count: Int) -> Int {
        let buffer = buffer(of: count, .anything)
        unsafe buffer.bytes.initializeMemory(as: UInt8.self, repeating: 7)
        return address(of: buffer)
    }

    private func buffer(of count: Int, _ content: PooledBuffer.Content) -> PooledBuffer {
        guard let buffer = PooledBuffer(count: count, content: content) else {
            preconditionFailure("the host has no memory")
        }
        return buffer
    }

    private func address(of buffer: borrowing PooledBuffer) -> Int {
        unsafe Int(bitPattern: buffer.bytes.baseAddress)
    }
}
