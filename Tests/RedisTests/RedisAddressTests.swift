import Redis
import Testing

struct RedisAddressTests {
    @Test(arguments: [
        ("redis://localhost", RedisAddress(.tcp(host: "localhost", port: 6379))),
        ("redis://", RedisAddress(.tcp(host: "127.0.0.1", port: 6379))),
        ("REDIS://h:1/2", RedisAddress(.tcp(host: "h", port: 1), database: 2)),
        ("redis://h/?db=3", RedisAddress(.tcp(host: "h", port: 6379), database: 3)),
        ("redis://:s%40p@h", RedisAddress(.tcp(host: "h", port: 6379), password: "s@p")),
        ("redis://u:a:b@h", RedisAddress(.tcp(host: "h", port: 6379), user: "u", password: "a:b")),
        ("redis://u:p@w@h:9", RedisAddress(.tcp(host: "h", port: 9), user: "u", password: "p@w")),
        ("redis://[::1]:7", RedisAddress(.tcp(host: "::1", port: 7))),
        ("unix:///run/r%20.sock", RedisAddress(.unix(path: "/run/r .sock"))),
        ("unix:///r.sock?db=4", RedisAddress(.unix(path: "/r.sock"), database: 4)),
        ("redis+unix://u:p@/r", RedisAddress(.unix(path: "/r"), user: "u", password: "p")),
    ])
    func `a URL becomes an address`(url: String, expected: RedisAddress) throws {
        #expect(try RedisAddress(parsing: url) == expected)
    }

    @Test(arguments: [
        "", "localhost:6379", "http://h", "redis://h:0", "redis://h:65536", "redis://h:x", "redis://h/x",
        "redis://h/-1", "redis://h?port=1", "redis://user@h", "redis://h%2", "redis://:%ff@h", "redis://[::1",
        "redis://[::1]x", "unix://", "unix://run/r", "unix:///" + String(repeating: "x", count: 107),
    ])
    func `an unusable URL is refused`(url: String) {
        #expect(throws: RedisError.self) { try RedisAddress(parsing: url) }
    }

    @Test(arguments: [
        "redis://:geheim", "redis://me:geheim", "redis://h/geheim", "redis://h?geheim=1",
        "redis://h?db=geheim",
        "redis://me:ge/geheim@h", "redis://me:ge?geheim@h", "redis://[::1]geheim", "redis://[::1]:geheim",
        "redis://me:%zzgeheim@h", "redis://geheim@h", "geheim://h", "me:geheim@h", "unix://geheim",
        "unix://me:geheim@h/r", "unix:///r?db=geheim", "rediss://me:geheim@h",
    ])
    func `no refusal quotes what may be the password`(url: String) {
        let error = #expect(throws: RedisError.self) { try RedisAddress(parsing: url) }
        #expect(error?.description.contains("geheim") == false)
    }

    @Test func `TLS is refused with a way out`() {
        let error = #expect(throws: RedisError.self) { try RedisAddress(parsing: "rediss://h") }
        #expect(error?.description.contains("stunnel") == true)
    }

    @Test func `no text form shows the password`() throws {
        let address = try RedisAddress(parsing: "redis://admin:hunter2@h:1/2")
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), dumped, "\(Optional(address) as Any)"] {
            #expect(!text.contains("hunter2") && text.contains("redis://h:1/2"))
        }
    }
}
