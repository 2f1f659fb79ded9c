import CommandLineOptions
import Units

/// A program with one option of every kind.
enum Sample {
    enum Colour: String, CaseIterable, Sendable {
        case red, green
    }

    static let size = Option(
        required: "pt", .text, placeholder: "WxH", environment: "SAMPLE_PT", help: "The box in points.")
    static let budget = Option(
        "memory-budget", .byteCount(in: .mebibytes(16) ... .max), placeholder: "BYTES",
        default: .mebibytes(512),
        environment: "SAMPLE_MEMORY_BUDGET", help: "The memory that jobs may hold together.")
    static let timeout = Option(
        "drain-timeout", .duration(in: .zero ... .seconds(3_600)), placeholder: "TIME", default: .seconds(25),
        help: "How long running jobs may take after SIGTERM.")
    static let scales = Option(
        "scale", .list(of: .number(in: 0.1...100, example: "3"), upTo: 4, example: "1,2,3"),
        placeholder: "S,…",
        default: [1], help: "Pixels a point.")
    static let roots = Option(
        repeated: "source-root", .directory, placeholder: "DIR", default: [],
        defaultText: "the current directory", environment: "SAMPLE_SOURCE_ROOT", help: "Where sources lie.")
    static let quality = Option(
        optional: "quality", .integer(in: 1...100), placeholder: "N", defaultText: "the worker's own",
        help: "JPEG quality.")
    static let colour = Option("colour", .choice, placeholder: "NAME", default: Colour.red, help: "A colour.")
    static let redis = Option(
        "redis", .address, placeholder: "URL", default: "redis://127.0.0.1", environment: "REDIS_URL",
        secret: true,
        help: "The Redis server.")
    static let wait = Option(flag: "wait", environment: "SAMPLE_WAIT", help: "Wait for the results.")

    static let table = OptionTable(
        command: "sample", version: "1.2.3", summary: "show every kind of option",
        purpose:
            "Shows every kind of option, in a paragraph that is long enough to be broken into several lines "
            + "when it is printed on a terminal of the usual width.",
        groups: [
            .init("Jobs", [size, scales, quality, colour, wait]), .init("Limits", [budget, timeout]),
            .init("Places", [roots, redis]),
        ],
        examples: [.init("sample --pt 120x120 --scale 3", "One thumbnail for a phone.")],
        exitStatuses: [.done, .usage])

    static func values(_ arguments: [String], _ environment: [String: String] = [:]) throws -> OptionValues? {
        guard case .run(let values) = try table.parse(arguments, environment: environment) else { return nil }
        return values
    }

    static func problems(_ arguments: [String], _ environment: [String: String] = [:]) -> [String] {
        do throws(UsageError) {
            _ = try table.parse(arguments, environment: environment)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

extension OptionKind where Value == String {
    fileprivate static var address: Self {
        OptionKind(
            wanted: "an address such as redis://127.0.0.1:6379",
            parse: { $0.hasPrefix("redis://") ? .value($0) : .wrong(because: nil) }, text: { $0 })
    }
}
