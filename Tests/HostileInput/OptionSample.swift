import CommandLineOptions
import Units

/// A program with one option of every kind.
enum OptionSample {
    private enum Colour: String, CaseIterable, Sendable {
        case red, green
    }

    static let table = OptionTable(
        command: "sample", version: "1", summary: "sample", purpose: "One option of every kind.",
        groups: [
            OptionTable.Group(
                "All",
                [
                    Option("text", .text(upTo: 9), placeholder: "T", default: "x", help: "Text."),
                    Option(
                        "bytes", .byteCount(), placeholder: "B", default: .mebibytes(1), help: "Bytes."),
                    Option(
                        "time", .duration(in: .zero ... .seconds(60)), placeholder: "T", default: .seconds(1),
                        help: "Time."),
                    Option(
                        "list", .list(of: .number(in: 0.1...100, example: "3"), upTo: 4, example: "1,2"),
                        placeholder: "L", default: [1], environment: "SAMPLE_LIST", help: "Numbers."),
                    Option(
                        optional: "count", .integer(in: 1...9), placeholder: "N", defaultText: "all",
                        help: "N."),
                    Option("colour", .choice, placeholder: "C", default: Colour.red, help: "Colour."),
                    Option(
                        repeated: "root", .directory, placeholder: "D", default: [], defaultText: "none",
                        help: "Places."),
                    Option(flag: "wait", help: "Wait."),
                ])
        ],
        examples: [OptionTable.Example("sample --wait", "Waits.")], exitStatuses: [.done, .usage])
}
