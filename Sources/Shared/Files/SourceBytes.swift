internal import Buffers
internal import Glibc
public import Units

/// A file's bytes, in a buffer of their own. Never changed after they were filled.
@safe public final class SourceBytes: Sendable {
    public let count: ByteCount

    private let memory: PooledBuffer

    /// Takes memory for `count` bytes and lets `fill` put the content there; nil when it fills fewer.
    init?(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) {
        guard let memory = PooledBuffer(count: count, content: .anything) else {
            throw SystemError(ENOMEM)
        }
        guard unsafe try fill(memory.bytes) == count else { return nil }
        self.count = ByteCount(count)
        self.memory = memory
    }

    /// Lends the bytes to `body`.
    public func withBytes<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(memory.bytes))
        return try body(span)
    }
}
