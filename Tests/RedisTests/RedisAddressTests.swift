import Redis
import TLS
import Testing

private let b2 = SentinelGroup.Sentinel(host: "b", port: 2)
private let c3 = SentinelGroup.Sentinel(host: "::1", port: 3)

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
        ("rediss://h", RedisAddress(.tcp(host: "h", port: 6379), over: .tls(TLSFiles()))),
        (
            "REDISS://u:p@[::1]:7/3",
            RedisAddress(
                .tcp(host: "::1", port: 7), over: .tls(TLSFiles()), user: "u", password: "p", database: 3)
        ),
        (
            "sentinel://a,b:2,[::1]:3/my%20master",
            RedisAddress(.sentinel(SentinelGroup([.init(host: "a"), b2, c3], primary: "my master")))
        ),
        (
            "sentinels://u:p@a/m/4?sentinel_user=s&sentinel_password=%3F",
            RedisAddress(
                .sentinel(SentinelGroup([.init(host: "a")], primary: "m", user: "s", password: "?")),
                over: .tls(TLSFiles()), user: "u", password: "p", database: 4)
        ),
        (
            "sentinel://a/m?db=4",
            RedisAddress(.sentinel(SentinelGroup([.init(host: "a")], primary: "m")), database: 4)
        ),
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
        "redis://[::1]x", "redis://a,b", "rediss://h:0", "rediss://h?tls=no", "sentinel://a", "sentinel://a/",
        "sentinel:///m", "sentinel://a,/m", "sentinel://a:0/m", "sentinel://a/m/x", "sentinel://a/m?x=1",
        "sentinel://a/m?sentinel_user=u",
        "sentinel://" + Array(repeating: "a", count: 17).joined(separator: ",")
            + "/m", "unix://", "unix://run/r", "unix:///" + String(repeating: "x", count: 107),
    ])
    func `an unusable URL is refused`(url: String) {
        #expect(throws: RedisError.self) { try RedisAddress(parsing: url) }
    }

    @Test(arguments: [
        "redis://:geheim", "redis://me:geheim", "redis://h/geheim", "redis://h?geheim=1",
        "redis://h?db=geheim",
        "redis://me:ge/geheim@h", "redis://me:ge?geheim@h", "redis://[::1]geheim", "redis://[::1]:geheim",
        "redis://me:%zzgeheim@h", "redis://geheim@h", "geheim://h", "me:geheim@h", "unix://geheim",
        "unix://me:geheim@h/r", "unix:///r?db=geheim",
        "rediss://me:geheim@h:0", "sentinel://me:geheim@a", "sentinel://me:geheim@a,/m",
        "sentinel://a/m?sentinel_password=%geheim", "sentinel://a/m?sentinel_user=geheim",
        "sentinel://a:geheim/m", "sentinel://a/m/geheim", "sentinel://a/m?geheim",
    ])
    func `no refusal quotes what may be the password`(url: String) {
        let error = #expect(throws: RedisError.self) { try RedisAddress(parsing: url) }
        #expect(error?.description.contains("geheim") == false)
    }

    @Test(arguments: [
        "redis://h:6379", "redis://[::1]:7/2", "rediss://h:1", "unix:///run/redis.sock", "unix:///r?db=3",
        "sentinel://a:1,[::1]:2/m", "sentinels://a:1/my%20master%2F/5",
    ])
    func `what is printed means the same`(url: String) throws {
        let address = try RedisAddress(parsing: url)
        #expect("\(address)" == url)
        #expect(try RedisAddress(parsing: "\(address)") == address)
    }

    @Test func `no text form shows the password`() throws {
        let address = try RedisAddress(parsing: "redis://admin:hunter2@h:1/2")
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), dumped, "\(Optional(address) as Any)"] {
            #expect(!text.contains("hunter2") && text.contains("redis://h:1/2"))
        }
        let group = try RedisAddress(parsing: "sentinel://a/m?sentinel_password=hunter2")
        dump(group.endpoint, to: &dumped)
        for text in ["\(group)", String(reflecting: group), "\(group.endpoint)", dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect(group.hasSecrets && address.hasSecrets)
    }
}
