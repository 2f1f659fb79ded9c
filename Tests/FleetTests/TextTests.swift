import CommandLineOptions
import JobQueue
import Testing

@testable import Fleet

/// What is printed, without Redis.
struct TextTests {
    @Test func `every command has help with examples, and options that destroy nothing have a variable`() {
        for table in FleetCommands.all.commands {
            let help = table.helpText()
            #expect(help.contains("Examples:\n  \(table.command)"), "\(table.command)")
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(table.command)")
            let bare = table.options.map(\.facts).filter { $0.environment == nil }.map(\.name)
            let isDecision = ["dead", "retry", "discard"].contains(table.command.dropFirst(6))
            #expect(isDecision == !bare.isEmpty, "\(table.command)")
            #expect(Set(bare).isSubset(of: ["code", "since", "older-than", "all", "yes", "dry-run"]))
            #expect(FleetCommands.all.helpText().contains(table.summary))
        }
    }

    @Test func `numbers are grouped, and rates have a decimal while they are small`() {
        #expect(
            [0, 999, 1_000, 1_234_567, -1_234].map(grouped) == ["0", "999", "1,000", "1,234,567", "-1,234"])
        #expect([0, 0.04, 9.94, 9.96, 1_234.5].map(decimal) == ["0.0", "0.0", "9.9", "10", "1,235"])
        #expect(count(1, "batch", plural: "batches") == "1 batch" && count(0, "job") == "0 jobs")
    }

    @Test func `signs that command a terminal are spelled out`() {
        #expect(printable("ä→\u{1B}[31m\n\u{202E}\u{9B}") == #"ä→\u{1b}[31m\n\u{202e}\u{9b}"#)
        #expect(printable([0x41, 0xC3, 0xA4]) == "Aä")
        #expect(printable([0x41, 0xC3, 0x0A]) == #"A\xc3\x0a"#)
    }

    @Test func `columns are as wide as their widest cell, and cut to the terminal`() {
        var table = TextTable([("A", .left), ("NUMBER", .right), ("REST", .left)])
        table.append(["long name", "7", "text that goes on"])
        #expect(table.lines() == ["A          NUMBER  REST", "long name       7  text that goes on"])
        #expect(table.lines(width: 24).map(\.count) == [23, 24])
    }

    @Test func `JSON keeps its order, escapes, and has no point in whole numbers`() {
        let value = JSONValue.object([
            "b": .string("\"\\\u{1}ä"), "a": .array([.null, .flag(true), .integer(-1)]), "n": .number(2),
            "d": .number(0.12345), "i": .number(.infinity), "c": .counts(["z": 1, "y": 2]),
        ])
        #expect(
            value.text
                == #"{"b":"\"\\\u0001ä","a":[null,true,-1],"n":2,"d":0.123,"i":null,"c":{"y":2,"z":1}}"#)
    }

    @Test func `a line is cut to the screen without its colours`() {
        let line = Palette(isOn: true).paint("red", .red) + " and plain"
        #expect(Screen.cut(line, to: 5) == "\u{1B}[31mred\u{1B}[0m a")
        #expect(Screen.cut("ab", to: 5) == "ab")
        #expect(Palette(isOn: false).paint("red", .red) == "red")
    }
}
