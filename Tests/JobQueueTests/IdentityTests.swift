import Redis
import TestSupport
import Testing

@testable import JobQueue

/// A worker and the script that reclaims its jobs must count a job under the same id and batch.
struct IdentityTests {
    private static let weird: [String] = [
        "", " ", "{}", "[]", "null", "\"id\"", "[1,2]", #"{"id":"a"}"#, #"{"id":"a","id":"b"}"#,
        #"{"id":"a","id":null}"#, #"{"id":1}"#, #"{"id":""}"#, #"{"id":"\u0000"}"#, #"{"id":"\ud83d\ude00"}"#,
        #"{"id":"\ud83d"}"#, #"{"id":"\ude00"}"#, #"{"id":"\uD800\uD800"}"#, #"{"id":"a\/b"}"#,
        #"{"id":"a\x"}"#,
        "{\"id\":\"a\nb\"}", "{\"id\":\"a\"}\0{", "{\"id\":\"a\"}x", #"{"id":"a",}"#, #"{"id":"a" "b":1}"#,
        #"{"id":"a","n":NaN}"#, #"{"id":"a","n":-Infinity}"#, #"{"id":"a","n":0x1F}"#, #"{"id":"a","n":012}"#,
        #"{"id":"a","n":+1}"#, #"{"id":"a","n":1.}"#, #"{"id":"a","n":.5}"#, #"{"id":"a","n":-}"#,
        #"{"id":"a","n":1e}"#, #"{"id":"a","n":1e999}"#, #"{"id":"a","n":infinit}"#,
        #"{"id":"a","n":nan(7)}"#,
        #"{"id":"a","n":tru}"#, #"{"id":"a","n":nulll}"#, #"{"i\u0064":"a"}"#, #"{"id":"é","batch":"日本"}"#,
        #"{"id":["a"]}"#, #"{"batch":"b","id":{"id":"a"}}"#, #"[{"id":"a"}]"#, #"{"a":{"id":"x"},"id":"y"}"#,
        "{\"id\":\"" + String(repeating: "x", count: 128) + "\"}", "\u{FEFF}{\"id\":\"a\"}",
        "{\"id\":\"" + String(repeating: "x", count: 129) + "\"}", "{'id':'a'}", #"{"id":"a"/**/}"#,
        "{\"id\":\"a\",\"n\":" + String(repeating: "[", count: 998) + String(repeating: "]", count: 998)
            + "}",
        "{\"id\":\"a\",\"n\":" + String(repeating: "[", count: 999) + String(repeating: "]", count: 999)
            + "}",
        "{\"id\":\"a\",\"n\":" + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
            + "}",
        "{\"id\":\"a\",\"n\":\"" + String(repeating: "x", count: 66_000) + "\"}",
    ]

    private static let notUTF8: [[UInt8]] = [
        [0xC3, 0x28], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
        [0xF0, 0x80, 0x80, 0x80], [0xE0, 0x80, 0x80], [0x80], [0xF0, 0x9F, 0x98, 0x80], [0xC3, 0xA9],
    ].map { Array(#"{"id":""#.utf8) + $0 + Array(#""}"#.utf8) }

    /// Reads ids and batches by the Lua of prelude.lua.
    private func identities(_ raws: [[UInt8]], _ client: RedisClient) async throws -> [(String, String)] {
        let source =
            Array("#!lua\n".utf8) + PackageResources.prelude_lua
            + Array(
                """
                local answer = {}
                for index, raw in ipairs(ARGV) do
                    local fields = fields_of(raw)
                    answer[index] = {job_id(raw, fields), name_in(fields, 'batch') or ''}
                end
                return answer
                """.utf8)
        let script = RedisScript(name: "identities", source: source)
        let reply = try await client.run(
            script, keys: QueueKeys().shared, arguments: raws, mayBeReplayed: true)
        return (reply.array ?? []).map { ($0.array?.first?.text ?? "?", $0.array?.last?.text ?? "?") }
    }

    private func check(_ raws: [[UInt8]], _ client: RedisClient) async throws {
        let expected = try await identities(raws, client)
        #expect(expected.count == raws.count)
        for (raw, expected) in zip(raws, expected) {
            let ticket = Job.read(raw).ticket
            #expect(
                ticket.id == expected.0 && (ticket.batch ?? "") == expected.1,
                "\(String(decoding: raw.prefix(200), as: UTF8.self)): \(ticket.id), Lua \(expected)")
        }
    }

    @Test func `both sides agree on weird JSON`() async throws {
        let redis = try await PrivateRedis()
        try await check(Self.weird.map { Array($0.utf8) } + Self.notUTF8, redis.client())
    }

    @Test func `both sides agree on twenty thousand mutated jobs`() async throws {
        let redis = try await PrivateRedis()
        let client = redis.client()
        var generator = SplitMix(seed: 20_261_130)
        let seeds = Self.weird.filter { $0.utf8.count < 200 }.map { Array($0.utf8) } + Self.notUTF8
        let alphabet = Array("{}[]\":,\\/u0019dDe+-.xXnNiIfF \n\t\0é".utf8)
        for _ in 0..<40 {
            let raws = (0..<500).map { _ in
                var raw = seeds.randomElement(using: &generator) ?? []
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let place = Int.random(in: 0...raw.count, using: &generator)
                    let byte = alphabet.randomElement(using: &generator) ?? 0
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: raw.insert(byte, at: place)
                    case 1 where place < raw.count: raw.remove(at: place)
                    default: if place < raw.count { raw[place] = byte }
                    }
                }
                return raw
            }
            try await check(raws, client)
        }
    }
}

/// A generator whose numbers a failing run can repeat.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
