import CHiredis
import TLS

/// Moves the bytes of a hiredis connection through TLS. hiredis composes commands and parses replies as ever, and
/// does not see the socket.
@safe
final class CipheredBytes {
    private let stream: TLSStream
    /// How much of what hiredis has composed was sent.
    private var sent = 0
    /// What one record of TLS holds at most.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)

    /// Nil for a plain address, and on a Unix socket, which does not leave the machine.
    init?(_ address: RedisAddress, over context: UnsafeMutablePointer<redisContext>) throws(RedisError) {
        guard case .tls(let files) = address.transport, case .tcp(let host, _) = address.endpoint else {
            return nil
        }
        let descriptor = unsafe context.pointee.fd
        stream = try Self.asRedisError { () throws(TLSError) in
            try TLSStream(files, over: descriptor, host: host)
        }
    }

    deinit { unsafe room.deallocate() }

    var sendEvents: Int32 { stream.sendEvents }
    var receiveEvents: Int32 { stream.receiveEvents }

    /// The event of the socket to wait for before the next call; nil when it is done.
    func handshake() throws(RedisError) -> Int32? {
        try Self.asRedisError { () throws(TLSError) in try stream.handshake() }
    }

    /// Sends what the socket takes; true when that was all.
    func send(from context: UnsafeMutablePointer<redisContext>) throws(RedisError) -> Bool {
        let composed = unsafe UnsafeRawBufferPointer(
            start: context.pointee.obuf, count: sdslen(context.pointee.obuf))
        while sent < composed.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: composed[sent...])
            let count = try Self.asRedisError { () throws(TLSError) in try unsafe stream.send(rest) }
            if count == 0 { return false }
            sent += count
        }
        sent = 0
        // Once for all of a pipeline; hiredis' own way is to move the rest to the front at every write.
        unsafe sdsfree(context.pointee.obuf)
        unsafe context.pointee.obuf = sdsempty()
        return true
    }

    func receive(into context: UnsafeMutablePointer<redisContext>) throws(RedisError) {
        repeat {
            let count = try Self.asRedisError { () throws(TLSError) in
                try unsafe stream.receive(into: room)
            }
            let start = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard unsafe redisReaderFeed(context.pointee.reader, start, count) == REDIS_OK else {
                throw .connectionLost(reason: "no memory for a reply")
            }
        } while stream.hasMore
    }

    private static func asRedisError<Value>(
        _ call: () throws(TLSError) -> Value
    ) throws(RedisError) -> Value {
        do throws(TLSError) { return try call() } catch {
            throw error.passes ? .connectionLost(reason: error.description) : .insecure(address: "", error)
        }
    }
}
