import HTTP
import Testing

/// Our own question, to servers that are not as they should be.
struct HTTPQuestionTests {
    @Test func `who is connected to and never answers costs no more than the time limit`() async throws {
        let socket = try ListeningSocket(on: HostAndPort(host: "127.0.0.1", port: 0))
        let place = socket.place
        // Connected by the kernel, and accepted by nobody.
        await #expect(throws: HTTPError.noAnswer(place, within: .milliseconds(100))) {
            try await ask("/", place, within: .milliseconds(100))
        }
    }

    @Test func `where nobody listens nobody answers`() async throws {
        let place = try ListeningSocket(on: HostAndPort(host: "127.0.0.1", port: 0)).place
        await #expect(
            performing: { _ = try await ask("/", place) },
            throws: { error in
                guard case HTTPError.cannotConnect(place, _)? = error as? HTTPError else { return false }
                return "\(error)".hasPrefix("nobody answers at \(place): ")
            })
    }

    @Test(arguments: [
        "+PONG\r\n", "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1\r\n\r\n",
        "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
    ])
    func `what is no answer of HTTP is called that`(words: String) async throws {
        let parrot = try Parrot(saying: words)
        await #expect(throws: HTTPError.notHTTP(parrot.place)) { try await ask("/", parrot.place) }
    }

    @Test func `status and body are read, however short the head is`() async throws {
        let parrot = try Parrot(saying: "HTTP/1.0 503 x\r\n\r\nnot now\n")
        let answer = try await ask("/", parrot.place)
        #expect(answer == HTTPAnswer(status: 503, body: "not now\n") && !answer.isSuccess)
    }
}
