extension OptionTable {
    /// Reads a command line without the program's own name. An argument counts before the environment,
    /// the environment before the default; an empty environment variable counts as not set.
    ///
    /// Understands `--name value`, `--name=value`, flags, and `--` as the end of the options. `--help`,
    /// `-h` and `--version` win over everything, also over mistakes. Reports all problems at once.
    public func parse(
        _ arguments: [String], environment: [String: String]
    ) throws(UsageError) -> Invocation {
        var scan = ArgumentScan(table: self)
        scan.read(arguments)
        if let request = scan.request { return request }

        var problems = scan.problems
        var values: [String: any Sendable] = [:]
        var origins: [String: GivenValue.Origin] = [:]
        for option in options {
            let facts = option.facts
            let given = scan.given[facts.name] ?? facts.givenInEnvironment(environment)
            origins[facts.name] = given.last?.origin
            // Its value is missing: that has been said already.
            if scan.incomplete.contains(facts.name) { continue }
            switch option.check(given) {
            case .value(let value): values[facts.name] = value
            case .problems(let found): problems += found
            }
        }
        problems += problemsOfOperands(scan.operands)
        guard problems.isEmpty else { throw UsageError(problems) }
        return .run(OptionValues(operands: scan.operands, values: values, origins: origins))
    }

    private func problemsOfOperands(_ operands: [String]) -> [OptionProblem] {
        switch self.operands {
        case .none: operands.map { .unexpectedOperand($0) }
        case .some(let placeholder, let least):
            operands.count < least ? [.operandMissing(wanted: "at least \(least) \(placeholder)")] : []
        }
    }
}

extension OptionFacts {
    fileprivate func givenInEnvironment(_ environment: [String: String]) -> [GivenValue] {
        guard let name = self.environment, let text = environment[name], !text.isEmpty else { return [] }
        let parts = isRepeatable ? text.split(separator: ":").map(String.init) : [text]
        return parts.map { GivenValue($0, from: .environment(name)) }
    }
}

/// Sorts arguments into options and operands, without looking at values.
private struct ArgumentScan {
    var given: [String: [GivenValue]] = [:]
    var operands: [String] = []
    var problems: [OptionProblem] = []
    /// Options that were named without the value they need.
    var incomplete: Set<String> = []
    var request: Invocation?

    private let facts: [String: OptionFacts]
    private let takesOperands: Bool
    private let isProgram: Bool

    init(table: OptionTable) {
        facts = Dictionary(uniqueKeysWithValues: table.options.map { ($0.facts.name, $0.facts) })
        takesOperands = table.operands != .none
        isProgram = !table.isCommand
    }

    mutating func read(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--":
                operands += rest
                return
            case "--help", "-h": request = .showHelp
            case "--version": request = request ?? .showVersion
            case "--generate" where isProgram, _ where isProgram && argument.hasPrefix("--generate="):
                readArtifact(argument, &rest)
            case _ where argument.hasPrefix("-") && argument != "-": readOption(argument, &rest)
            default: operands.append(argument)
            }
        }
    }

    private mutating func readArtifact(_ argument: String, _ rest: inout ArraySlice<String>) {
        let next = argument == "--generate" ? rest.popFirst() : nil
        do throws(UsageError) {
            let artifact = try Artifact(argument: argument, next: next)
            request = request ?? .generate(artifact)
        } catch {
            problems += error.problems
        }
    }

    private mutating func readOption(_ argument: String, _ rest: inout ArraySlice<String>) {
        let parts = argument.drop { $0 == "-" }.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard argument.hasPrefix("--"), let option = facts[name] else {
            let spelled = argument.split(separator: "=", maxSplits: 1).first.map(String.init) ?? argument
            problems.append(.unknownOption(spelled, nearest: nearestName(to: name, among: facts.keys)))
            // What follows was most likely meant as its value; a second complaint would hide the first.
            if parts.count == 1, !takesOperands, let next = rest.first, !next.hasPrefix("-") {
                rest.removeFirst()
            }
            return
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if option.placeholder == nil {
            if let attached { problems.append(.valueNotTaken(option: name, got: attached)) }
            given[name, default: []].append(GivenValue("", from: .argument))
        } else if let value = attached ?? takeValue(&rest) {
            given[name, default: []].append(GivenValue(value, from: .argument))
        } else {
            incomplete.insert(name)
            problems.append(.valueMissing(option: name, wanted: option.wanted))
        }
    }

    /// The next argument, unless it is itself one of our options: then the value was forgotten.
    private func takeValue(_ rest: inout ArraySlice<String>) -> String? {
        guard let next = rest.first else { return nil }
        let name = String(next.drop { $0 == "-" }.prefix { $0 != "=" })
        let isOption =
            next.hasPrefix("--") && (facts[name] != nil || OptionFacts.ofPrograms.map(\.name).contains(name))
        guard !isOption else { return nil }
        return rest.popFirst()
    }
}

/// The name that takes the fewest keystrokes to reach from `text`; nil when all are far away.
public func nearestName(to text: String, among names: some Sequence<String>) -> String? {
    // A third of the letters wrong is still a slip; more is another word.
    let farthest = max(1, text.count / 3)
    return names.map { (name: $0, distance: editDistance(text, $0)) }
        .filter { $0.distance <= farthest || ($0.name.hasPrefix(text) && text.count >= 3) }
        .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
}

/// How many slips of the fingers lie between two words: letters inserted, left out, replaced, or swapped
/// with their neighbour.
func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var above: [Int] = []
    var row = Array(0...right.count)
    for line in left.indices {
        var next = [line + 1]
        for column in right.indices {
            var distance = min(row[column + 1], next[column]) + 1
            distance = min(distance, row[column] + (left[line] == right[column] ? 0 : 1))
            if line > 0, column > 0, left[line] == right[column - 1], left[line - 1] == right[column] {
                distance = min(distance, above[column - 1] + 1)
            }
            next.append(distance)
        }
        above = row
        row = next
    }
    return row[right.count]
}
