internal import Glibc

/// What a server said: enough of HTTP for asking our own.
public struct HTTPAnswer: Sendable, Equatable {
    public let status: Int
    /// The first 64 KiB, repaired where it is no UTF-8.
    public let body: String

    public init(status: Int, body: String) {
        (self.status, self.body) = (status, body)
    }

    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Asks a server for one page.
public enum HTTPQuestion {
    static let longestAnswer = 64 << 10

    /// Blocks for at most `limit`. Throws `unknownHost`, `cannotConnect`, `noAnswer` or `notHTTP`.
    public static func ask(
        _ path: String, at place: HostAndPort, within limit: Duration
    ) throws(HTTPError) -> HTTPAnswer {
        let deadline = ContinuousClock.now + limit
        let socket = unsafe try Sockets.first(
            of: place, isForListening: false, orFail: { .cannotConnect(place, $0) }
        ) { address in
            let socket = unsafe Sockets.stream(address)
            guard socket >= 0 else { return -1 }
            setTimes(of: socket, limit)
            guard unsafe connect(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
                return Sockets.give(up: socket)
            }
            return socket
        }
        defer { close(socket) }
        let request = "GET \(path) HTTP/1.0\r\nHost: \(place)\r\nConnection: close\r\n\r\n"
        guard send(Array(request.utf8), on: socket), let bytes = receive(on: socket, until: deadline, limit)
        else { throw .noAnswer(place, within: limit) }
        guard let answer = parse(bytes) else { throw .notHTTP(place) }
        return answer
    }

    /// Status line, headers, an empty line, the body. Nil for anything else.
    static func parse(_ bytes: [UInt8]) -> HTTPAnswer? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1."), let head = text.firstRange(of: "\r\n\r\n") else { return nil }
        let words = text.prefix { !$0.isNewline }.split(separator: " ")
        guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]), status >= 100 else {
            return nil
        }
        return HTTPAnswer(status: status, body: String(text[head.upperBound...]))
    }

    private static func setTimes(of socket: Int32, _ limit: Duration) {
        let (seconds, attoseconds) = limit.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// A request is smaller than any socket's buffer, so it goes at once or not at all.
    private static func send(_ request: [UInt8], on socket: Int32) -> Bool {
        unsafe Glibc.send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    }

    /// Up to the end, or the longest answer; nil when it did not come in time.
    private static func receive(
        on socket: Int32, until deadline: ContinuousClock.Instant, _ limit: Duration
    ) -> [UInt8]? {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while answer.count < longestAnswer {
            let left = deadline - .now
            guard left > .zero else { return nil }
            setTimes(of: socket, left)
            let count = unsafe recv(socket, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            answer += chunk.prefix(count)
        }
        return answer
    }
}
