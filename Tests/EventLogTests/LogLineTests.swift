import FoundationEssentials
import Testing
import Units

@testable import EventLog

private func line(
    _ fields: [(StaticString, LogValue)], _ style: LogStyle = .json, level: LogLevel = .info
) -> String {
    let line = LogLine(
        time: Timestamp(milliseconds: 1_709_251_199_250), level: level, event: "job.finished",
        fields: fields.map { (name: $0.0, value: $0.1) })
    return String(decoding: line.bytes(in: style), as: UTF8.self)
}

@Test func `a JSON line has time, level, event and typed fields in order`() {
    let text = line([
        ("id", "a1"), ("bytes", .size(.kibibytes(4))), ("wait_ms", .duration(.milliseconds(1_500))),
        ("ratio", .number(0.5)),
        ("attempt", 2), ("partial", false), ("notes", .list(["a", "b\"c"])),
    ])
    #expect(
        text == #"{"time":"2024-02-29T23:59:59.250Z","level":"info","event":"job.finished","id":"a1","#
            + #""bytes":4096,"wait_ms":1500,"ratio":0.5,"attempt":2,"partial":false,"notes":["a","b\"c"]}"#
            + "\n")
}

@Test func `a text line reads well`() {
    let text = line(
        [
            ("id", "a1"), ("bytes", .size(.kibibytes(4))), ("wait_ms", .duration(.seconds(90))),
            ("path", "a b.jpg"), ("empty", ""),
            ("notes", .list(["a", "b c"])),
        ], .plain)
    #expect(
        text == "2024-02-29T23:59:59.250Z info    job.finished id=a1 bytes=\"4 KiB\" wait_ms=\"1 m 30 s\" "
            + "path=\"a b.jpg\" empty=\"\" notes=[a,\"b c\"]\n")
}

@Test func `only a terminal gets colours, and only on the level`() {
    #expect(
        line([], .coloured, level: .error)
            == "2024-02-29T23:59:59.250Z \u{1B}[31merror\u{1B}[0m   job.finished\n")
    let terminal = ["TERM": "xterm-256color"]
    #expect(LogStyle(.auto, isTerminal: true, environment: terminal) == .coloured)
    #expect(LogStyle(.text, isTerminal: true, environment: terminal) == .coloured)
    #expect(LogStyle(.text, isTerminal: false, environment: terminal) == .plain)
    #expect(LogStyle(.auto, isTerminal: false, environment: terminal) == .json)
    #expect(LogStyle(.json, isTerminal: true, environment: terminal) == .json)
    #expect(LogStyle(.auto, isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"]) == .plain)
    #expect(LogStyle(.auto, isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": ""]) == .coloured)
    #expect(LogStyle(.auto, isTerminal: true, environment: ["TERM": "dumb"]) == .plain)
    #expect(LogStyle(.auto, isTerminal: true, environment: [:]) == .plain)
}

@Test(arguments: [LogStyle.json, .plain])
func `nothing in a value can end the line or steer the terminal`(style: LogStyle) {
    let hostile = "a\n{\"level\":\"error\"}\r\u{1B}[2J\u{7F}\u{9B}31m\u{202E}gpj\u{0}"
    let text = line([("path", .string(hostile)), ("raw", .bytes(Array(hostile.utf8)))], style)
    #expect(text.utf8.filter { $0 == 10 }.count == 1)
    #expect(
        text.unicodeScalars.allSatisfy {
            $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value))
        })
    #expect(!text.unicodeScalars.contains("\u{202E}"))
}

@Test func `bytes that are no text are shown as what they are`() {
    #expect(
        line([("job", .bytes([0x61, 0xFF, 0xC3, 0xA9, 0xE2, 0x82, 0x62]))]).contains(
            #""job":"a\\xffé\\xe2\\x82b"}"#))
}

@Test func `every line is valid JSON, whatever is in it`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
        let bytes = (0..<Int.random(in: 0...1_500, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let text = line([
            ("bytes", .bytes(bytes)), ("text", .string(String(decoding: bytes, as: UTF8.self))),
            ("number", .number(.nan)),
            ("infinite", .number(-.infinity)), ("more", .list(Array(repeating: "x", count: bytes.count))),
        ])
        #expect(text.utf8.count <= LogLine.longest)
        let object = try JSONDecoder().decode(Head.self, from: Data(text.utf8))
        #expect(object.event == "job.finished")
    }
}

private struct Head: Decodable {
    let event: String
}

@Test func `a long text is cut, and a line without room says that it is clipped`() {
    let long = String(repeating: "é", count: 2_000)
    let text = line([
        ("a", .string(long)), ("b", .string(long)), ("c", .string(long)), ("d", .string(long)), ("e", 1),
    ])
    #expect(text.contains("é…\","))
    #expect(text.hasSuffix(#","e":1,"clipped":true}"# + "\n"))
    #expect(text.utf8.count <= LogLine.longest)
}
