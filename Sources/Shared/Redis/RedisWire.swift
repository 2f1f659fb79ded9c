import CHiredis
import Glibc
import TLS
import Threading

/// One connection, for one thread at a time. Any error ends it: an answer that comes late must never
/// be taken for the answer to the next command.
///
/// The socket never blocks; every wait is a `poll` with what is left of the call's limit, so a server
/// that drips bytes cannot stretch it, and an `Interruption` ends it.
@safe
final class RedisWire {
    private let context: UnsafeMutablePointer<redisContext>
    /// Nil where bytes travel as they are.
    private let cipher: CipheredBytes?
    private let interruption: Interruption?
    /// Nothing has been received so far.
    private var isFresh = true
    private let longestString: Int?
    /// The server's number for this connection, for CLIENT UNBLOCK.
    private(set) var id: Int64 = 0

    /// Connects, signs in, selects the database, and makes sure that the server can serve.
    ///
    /// - Parameter address: of one server; who asks sentinels for it is `PrimarySearch`.
    init(
        _ address: RedisAddress, limits: RedisLimits, name: String, interruption: Interruption? = nil
    ) throws(RedisError) {
        ignoreBrokenPipes()
        self.interruption = interruption
        longestString = limits.longestString
        let connection = unsafe try Self.connected(to: address, within: limits.connect)
        unsafe context = connection
        do throws(RedisError) {
            cipher = try unsafe CipheredBytes(address, over: connection)
        } catch {
            // Nobody owns it yet.
            unsafe redisFree(connection)
            throw error.whileConnecting(to: address)
        }
        let deadline = ContinuousClock.now.advanced(by: limits.handshake)
        do throws(RedisError) {
            try agreeOnCipher(until: deadline, limit: limits.handshake)
            try greet(address, until: deadline, limits: limits, name: name)
        } catch {
            // Redis with TLS cuts off who speaks plainly, without a word.
            if case .connectionLost(let reason) = error, isFresh, address.transport == .plain,
                case .tcp = address.endpoint
            {
                throw .unreachable(
                    address: address.description,
                    reason: "\(reason) before it said anything; if it speaks TLS, write rediss://")
            }
            throw error.whileConnecting(to: address)
        }
    }

    deinit { unsafe redisFree(context) }

    /// Sends all commands and returns one answer each, in order; error replies are answers here.
    func exchange(_ commands: [RedisCommand], within limit: Duration) throws(RedisError) -> [RedisReply] {
        try exchange(commands, until: .now.advanced(by: limit), limit: limit)
    }

    private func exchange(
        _ commands: [RedisCommand], until deadline: ContinuousClock.Instant, limit: Duration
    ) throws(RedisError) -> [RedisReply] {
        for command in commands { append(command) }
        var replies: [RedisReply] = []
        replies.reserveCapacity(commands.count)
        var isSent = false
        while replies.count < commands.count {
            while replies.count < commands.count, let reply = try nextBufferedReply() {
                replies.append(reply)
            }
            if replies.count == commands.count { break }
            if let longestString, unreadBytes > longestString {
                throw .replyTooLong(limit: longestString)
            }
            let (sendEvents, receiveEvents) = (cipher?.sendEvents ?? POLLOUT, cipher?.receiveEvents ?? POLLIN)
            let ready = try wait(
                for: receiveEvents | (isSent ? 0 : sendEvents), until: deadline, limit: limit)
            if !isSent, ready & sendEvents != 0 { isSent = try send() }
            if ready & (receiveEvents | ~sendEvents) != 0 { try receive() }
        }
        return replies
    }

    /// Sends what the socket takes; true when that was all.
    private func send() throws(RedisError) -> Bool {
        if let cipher { return try unsafe cipher.send(from: context) }
        var done: Int32 = 0
        guard unsafe redisBufferWrite(context, &done) == REDIS_OK else { throw failure() }
        return done != 0
    }

    private func receive() throws(RedisError) {
        if let cipher { return try unsafe cipher.receive(into: context) }
        if isFresh { try checkIsPlain() }
        guard unsafe redisBufferRead(context) == REDIS_OK else { throw failure() }
    }

    /// A server that speaks TLS answers plain words with an alert, whose first byte no reply has.
    private func checkIsPlain() throws(RedisError) {
        let alert: UInt8 = 21
        var first: UInt8 = 0
        guard unsafe recv(context.pointee.fd, &first, 1, Int32(MSG_PEEK)) == 1 else { return }
        isFresh = false
        if first == alert { throw .insecure(address: "", .spokenUnasked) }
    }

    /// The server has closed the connection, or said something unasked, while nothing was under way.
    var isStale: Bool {
        var entry = unsafe pollfd(fd: context.pointee.fd, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) != 0
    }

    // MARK: connecting

    private static func connected(
        to address: RedisAddress, within limit: Duration
    ) throws(RedisError) -> UnsafeMutablePointer<redisContext> {
        let (seconds, attoseconds) = limit.components
        let time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        let made =
            switch address.endpoint {
            case .tcp(let host, let port): unsafe redisConnectWithTimeout(host, Int32(port), time)
            case .unix(let path): unsafe redisConnectUnixWithTimeout(path, time)
            case .sentinel: preconditionFailure("a wire leads to one server")
            }
        guard let context = unsafe made else {
            throw .unreachable(address: address.description, reason: "no memory for a connection")
        }
        guard unsafe context.pointee.err == 0 else {
            let reason = unsafe message(of: context)
            unsafe redisFree(context)
            throw .unreachable(address: address.description, reason: reason)
        }
        if case .tcp = address.endpoint { unsafe redisEnableKeepAlive(context) }
        let descriptor = unsafe context.pointee.fd
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unsafe context.pointee.flags &= ~REDIS_BLOCK
        return unsafe context
    }

    /// Returns once the server has proved who it is, and nobody else can read along.
    private func agreeOnCipher(
        until deadline: ContinuousClock.Instant, limit: Duration
    ) throws(RedisError) {
        while let event = try cipher?.handshake() {
            _ = try wait(for: event, until: deadline, limit: limit)
        }
    }

    private func greet(
        _ address: RedisAddress, until deadline: ContinuousClock.Instant, limits: RedisLimits, name: String
    ) throws(RedisError) {
        var commands: [RedisCommand] = []
        if let password = address.password {
            var sign = RedisCommand("AUTH")
            if let user = address.user { sign.append(user) }
            sign.append(password)
            commands.append(sign)
        }
        if address.database != 0 { commands.append(RedisCommand("SELECT", String(address.database))) }
        let checked = commands.count
        commands += [
            RedisCommand("PING"), RedisCommand("ROLE"), RedisCommand("CLIENT", "ID"),
            RedisCommand("CLIENT", "SETNAME", name),
        ]
        let replies = try exchange(commands, until: deadline, limit: limits.handshake)
        // Signing in, the database and PING must work; the rest an access list may deny.
        for case .error(let error) in replies.prefix(checked + 1) { throw error }
        if case .array(let role) = replies[checked + 1], role.first?.text == "slave" {
            throw .notServing(.readOnly, "READONLY \(address) is a replica")
        }
        if case .integer(let number) = replies[checked + 2] { id = number }
    }

    // MARK: the exchange

    private func append(_ command: RedisCommand) {
        let result = unsafe command.bytes.withUnsafeBufferPointer { bytes in
            // An empty command of empty words has no bytes, yet hiredis wants addresses.
            let base = unsafe UnsafeRawPointer(bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!)
                .assumingMemoryBound(to: CChar.self)
            var starts: [UnsafePointer<CChar>?] = unsafe []
            var lengths: [Int] = []
            var start = 0
            for end in command.ends {
                unsafe starts.append(base + start)
                lengths.append(end - start)
                start = end
            }
            return unsafe redisAppendCommandArgv(context, Int32(command.ends.count), &starts, &lengths)
        }
        precondition(result == REDIS_OK, "out of memory while composing a command")
    }

    /// What has come of a string that is not complete, and its length before it: hiredis keeps the strings that are
    /// complete elsewhere.
    private var unreadBytes: Int {
        let reader = unsafe context.pointee.reader.pointee
        return unsafe reader.len - reader.pos
    }

    private func nextBufferedReply() throws(RedisError) -> RedisReply? {
        var pointer: UnsafeMutableRawPointer?
        guard unsafe redisGetReplyFromReader(context, &pointer) == REDIS_OK else { throw failure() }
        guard let pointer = unsafe pointer else { return nil }
        defer { unsafe freeReplyObject(pointer) }
        return unsafe RedisReply(copying: pointer.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// The events that are ready: POLLIN also stands for an error or a hang-up, which reading reports.
    private func wait(
        for events: Int32, until deadline: ContinuousClock.Instant, limit: Duration
    ) throws(RedisError) -> Int32 {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timedOut(after: limit) }
            let milliseconds = min(left / .milliseconds(1), 3_600_000).rounded(.up)
            var entries = unsafe [
                pollfd(fd: context.pointee.fd, events: Int16(events), revents: 0),
                pollfd(fd: interruption?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&entries, 2, Int32(milliseconds))
            if count < 0 && errno != EINTR { throw .connectionLost(reason: "poll: error \(errno)") }
            if count <= 0 { continue }
            if entries[1].revents != 0 { throw .connectionLost(reason: "the client was closed") }
            let ready = Int32(entries[0].revents)
            if ready != 0 { return ready & (POLLIN | POLLOUT) == 0 ? POLLIN : ready }
        }
    }

    private func failure() -> RedisError { .connectionLost(reason: unsafe Self.message(of: context)) }

    private static func message(of context: UnsafeMutablePointer<redisContext>) -> String {
        unsafe withUnsafeBytes(of: context.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension RedisError {
    /// The same, of a server that has been told nothing yet: it can have run nothing.
    func whileConnecting(to address: RedisAddress) -> RedisError {
        switch self {
        case .timedOut(let limit): .silent(address: address.description, after: limit)
        case .connectionLost(let reason): .unreachable(address: address.description, reason: reason)
        case .insecure(_, let problem): .insecure(address: address.description, problem)
        default: self
        }
    }
}

extension RedisReply {
    /// A copy of hiredis' tree. It nests at most 9 deep: hiredis refuses more.
    fileprivate init(copying reply: redisReply) {
        switch unsafe reply.type {
        case REDIS_REPLY_STRING: self = .bytes(unsafe Self.bytes(of: reply))
        case REDIS_REPLY_INTEGER: self = .integer(unsafe reply.integer)
        case REDIS_REPLY_STATUS: self = .status(String(decoding: unsafe Self.bytes(of: reply), as: UTF8.self))
        case REDIS_REPLY_ERROR:
            self = .error(RedisError(reply: String(decoding: unsafe Self.bytes(of: reply), as: UTF8.self)))
        case REDIS_REPLY_ARRAY:
            let count = unsafe reply.elements
            self = .array((0..<count).map { unsafe RedisReply(copying: reply.element[$0]!.pointee) })
        default: self = .null
        }
    }

    private static func bytes(of reply: redisReply) -> [UInt8] {
        unsafe [UInt8](UnsafeRawBufferPointer(start: reply.str, count: reply.len))
    }
}
