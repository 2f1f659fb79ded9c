import HTTP
import Testing

struct HostAndPortTests {
    @Test(arguments: [
        ("127.0.0.1:9464", "127.0.0.1", 9464), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65535),
        ("0.0.0.0:1", "0.0.0.0", 1),
    ])
    func `an address is read, and written as it was`(text: String, host: String, port: UInt16) throws {
        let place = try #require(HostAndPort(text))
        #expect(place == HostAndPort(host: host, port: port) && place.description == text)
    }

    @Test(arguments: [
        "", "9464", ":9464", "localhost", "localhost:", "localhost:65536", "localhost:-1", "localhost:+1",
        "::1:9464", "[]:1", "http://localhost:1", "a b:1", "a/b:1", "user@host:1", "ä:1",
    ])
    func `what names no host and port is refused`(text: String) {
        #expect(HostAndPort(text) == nil)
    }
}
