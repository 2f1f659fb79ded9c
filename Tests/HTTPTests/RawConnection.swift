import Glibc
import HTTP
import TestSupport
import Threading

/// One TCP connection to loopback, for bytes that no proper client would send.
final class RawConnection: Sendable {
    struct Refused: Error { let code: Int32 }

    private let descriptor: Int32

    init(to place: HostAndPort) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = place.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Refused(code: errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// All that comes until the other side closes.
    func receiveAll() -> String {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += chunk.prefix(count)
        }
    }
}

/// Sends a request as it stands, and waits for all of the answer.
func exchange(_ place: HostAndPort, _ request: String) async throws -> String {
    let connection = try RawConnection(to: place)
    return await BlockingThreads.forTests.run {
        connection.send(request)
        return connection.receiveAll()
    }
}

/// Asks as our programs do, on a thread that may block.
func ask(_ path: String, _ place: HostAndPort, within limit: Duration = .seconds(20)) async throws
    -> HTTPAnswer
{
    let result: Result<HTTPAnswer, HTTPError> = await BlockingThreads.forTests.run {
        do throws(HTTPError) { return .success(try HTTPQuestion.ask(path, at: place, within: limit)) } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

/// Accepts one connection after the other and says the same on each, whatever it is asked.
final class Parrot: Sendable {
    let place: HostAndPort
    private let descriptor: Int32

    init(saying words: String) throws {
        let socket = try ListeningSocket(on: HostAndPort(host: "127.0.0.1", port: 0))
        place = socket.place
        descriptor = socket.take()
        let listening = descriptor
        _ = DedicatedThread(name: "parrot") {
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else { return }
                var question = [UInt8](repeating: 0, count: 4096)
                _ = unsafe recv(connection, &question, question.count, 0)
                let bytes = Array(words.utf8)
                _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }
    }

    /// Ends the thread, which then closes nothing that is not its own.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
