import Glibc
import HTTP
import HTTPServer
import TestSupport
import Testing
import Threading

/// The server as whoever connects sees it, over loopback.
struct PageServerTests {
    private static let anyPort = HostAndPort(host: "127.0.0.1", port: 0)

    @Test func `a page is served with its status, type and body, and its path is decoded`() async throws {
        let (server, place) = try Self.serve { path in
            path == "/ä b" ? Page(200, type: "text/x-test", "found\nä") : Page(404, "nothing at \(path)")
        }
        let found = try await exchange(place, "GET /%C3%A4%20b?question=1 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(found.hasPrefix("HTTP/1.1 200 OK\r\n") && found.hasSuffix("\r\n\r\nfound\nä"), "\(found)")
        #expect(found.contains("Content-Type: text/x-test\r\n"))
        #expect(try await ask("/no", place) == HTTPAnswer(status: 404, body: "nothing at /no"))
        withExtendedLifetime(server) {}
    }

    @Test func `HEAD has the headers of GET and no body`() async throws {
        let (server, place) = try Self.serve { _ in Page(200, "12345") }
        let answer = try await exchange(place, "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("Content-Length: 5\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"), "\(answer)")
        withExtendedLifetime(server) {}
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "BREW"])
    func `other methods are told which ones there are, and no page is made for them`(method: String)
        async throws
    {
        let (server, place) = try Self.serve { _ in Page(200, "made") }
        let answer = try await exchange(
            place, "\(method) /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc")
        #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(answer)")
        #expect(answer.contains("Allow: GET, HEAD\r\n") && !answer.contains("made"))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [
        "nonsense\r\n\r\n", "GET\r\n\r\n", "GET /a HTTP/1.1\r\nX: " + String(repeating: "a", count: 40_000),
        "GET /" + String(repeating: "a", count: 40_000), "\u{0}\u{1}\u{2}\r\n\r\n",
    ])
    func `what is no request, or too long a one, gets no page, and the next one does`(request: String)
        async throws
    {
        let (server, place) = try Self.serve { _ in Page(200, "page") }
        let answer = try await exchange(place, request)
        #expect(!answer.contains("page") || answer.contains(" 4"), "\(answer.prefix(80))")
        #expect(try await ask("/", place).isSuccess)
        withExtendedLifetime(server) {}
    }

    @Test func `who connects and says nothing keeps nobody else from being answered`() async throws {
        let (server, place) = try Self.serve { _ in Page(200, "page") }
        let silent = try (0..<12).map { _ in try RawConnection(to: place) }
        #expect(try await ask("/", place).isSuccess)
        withExtendedLifetime((server, silent)) {}
    }

    @Test func `the server's thread takes no signal`() async throws {
        let thread = Monitor<UInt?>(nil)
        let answer: @Sendable (String) -> Page = { _ in
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            thread.update { found in
                found =
                    [SIGTERM, SIGINT, SIGPIPE].allSatisfy { unsafe sigismember(&mask, $0) == 1 }
                    ? 1 : 0
            }
            return Page(200, "")
        }
        // Started by a thread that takes every signal.
        let started = await BlockingThreads.forTests.run {
            () -> Result<(PageServer, HostAndPort), any Error> in
            var (none, before) = (sigset_t(), sigset_t())
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            return Result { try Self.serve(answer) }
        }
        let (server, place) = try started.get()
        _ = try await ask("/", place)
        #expect(thread.withLock { $0 } == 1)
        withExtendedLifetime(server) {}
    }

    @Test func `a socket that listens before its server answers once there is one`() async throws {
        let socket = try ListeningSocket(on: Self.anyPort)
        let place = socket.place
        async let answer = ask("/", place)
        let server = try PageServer(on: socket) { _ in Page(200, "late") }
        #expect(try await answer.body == "late")
        withExtendedLifetime(server) {}
    }

    @Test func `a port that is taken, and a host that nobody knows, are told apart`() throws {
        let socket = try ListeningSocket(on: Self.anyPort)
        let place = socket.place
        #expect(throws: HTTPError.cannotListen(place, SystemError(number: EADDRINUSE))) {
            _ = try ListeningSocket(on: place)
        }
        #expect(HTTPError.cannotListen(place, SystemError(number: EADDRINUSE)).isAddressInUse)
        let unknown = HostAndPort(host: "no.such.host.invalid", port: 1)
        #expect(
            performing: { _ = try ListeningSocket(on: unknown) },
            throws: { error in
                guard case HTTPError.unknownHost(unknown, _)? = error as? HTTPError else { return false }
                return true
            })
        close(socket.take())
    }

    private static func serve(
        _ answer: @escaping @Sendable (String) -> Page
    ) throws -> (PageServer, HostAndPort) {
        let socket = try ListeningSocket(on: anyPort)
        let place = socket.place
        return (try PageServer(on: socket, answer: answer), place)
    }
}
