internal import CMicroHTTPD
internal import Glibc
public import HTTP
internal import Synchronization

/// What a path is answered with.
public struct Page: Sendable {
    /// Such as 200 or 503.
    public let status: Int
    /// Of the body, as in `Content-Type`.
    public let type: StaticString
    public let body: String

    /// `type` has to be ASCII.
    public init(_ status: Int, type: StaticString = "text/plain; charset=utf-8", _ body: String) {
        precondition(type.isASCII && type.hasPointerRepresentation, "a content type is ASCII")
        (self.status, self.type, self.body) = (status, type, body)
    }
}

/// A few small pages over HTTP/1.1, for a scraper, a supervisor and a curious person: libmicrohttpd, one thread.
///
/// No TLS and nobody asked who he is: for loopback, or a network that only the right ones reach.
public final class PageServer: Sendable {
    /// Connections at a time; more wait in the kernel. A scraper, two probes, a person, and what hangs.
    static let connections: UInt32 = 16
    /// A connection on which nothing moves is closed.
    static let idleSeconds: UInt32 = 5
    /// For a request's line and headers; larger ones are refused.
    static let connectionBytes = 16 << 10

    private let server: Mutex<Handle>
    private let answering: Answering

    /// Takes the socket over and serves until the object goes away. `answer` is called with each path, decoded and
    /// without what follows a question mark, on the server's own thread, one call at a time: while it runs nobody
    /// else is answered. GET and HEAD come to it; other methods are 405.
    ///
    /// Throws `cannotServe`.
    public init(
        on socket: consuming ListeningSocket, answer: @escaping @Sendable (String) -> Page
    ) throws(HTTPError) {
        let place = socket.place
        let descriptor = socket.take()
        answering = Answering(answer)
        let limits = http_limits(
            connections: Self.connections, idle_seconds: Self.idleSeconds,
            connection_bytes: Self.connectionBytes)
        let server = unsafe http_serve(
            descriptor, limits,
            { context, path, page in
                guard let context = unsafe context, let path = unsafe path, let page = unsafe page else {
                    return
                }
                let answering = unsafe Unmanaged<Answering>.fromOpaque(context).takeUnretainedValue()
                unsafe answering.fill(&page.pointee, at: String(cString: path))
            }, Unmanaged.passUnretained(answering).toOpaque())
        guard let server = unsafe server else {
            close(descriptor)
            throw .cannotServe(place)
        }
        self.server = unsafe Mutex(Handle(server: server))
    }

    /// Nobody is answered any more; the library has joined its thread by then.
    deinit { server.withLock { unsafe http_stop($0.server) } }

    /// The library may be called from any thread.
    @safe private struct Handle: @unchecked Sendable {
        let server: UnsafeMutableRawPointer
    }
}

/// The closure behind C's pointer. Lives as long as the server.
private final class Answering: Sendable {
    private let answer: @Sendable (String) -> Page

    init(_ answer: @escaping @Sendable (String) -> Page) { self.answer = answer }

    /// Without memory for the body the page is an empty 500.
    func fill(_ page: inout http_page, at path: String) {
        let found = answer(path)
        let body = Array(found.body.utf8)
        guard let copy = unsafe malloc(max(1, body.count)) else {
            unsafe page.status = 500
            return
        }
        unsafe body.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe copy.copyMemory(from: start, byteCount: bytes.count) }
        }
        unsafe page.status = UInt32(found.status)
        unsafe page.type = UnsafeRawPointer(found.type.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe page.body = copy.assumingMemoryBound(to: CChar.self)
        unsafe page.length = body.count
    }
}
