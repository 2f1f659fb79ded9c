import CommandLineOptions
import Testing
import Units

@Test func `what is not given has its default`() throws {
    let values = try #require(try Sample.values(["--pt", "1x1"]))
    #expect(values[Sample.size] == "1x1")
    #expect(values[Sample.budget] == .mebibytes(512))
    #expect(values[Sample.timeout] == .seconds(25))
    #expect(values[Sample.scales] == [1])
    #expect(values[Sample.roots] == [])
    #expect(values[Sample.quality] == nil)
    #expect(values[Sample.colour] == .red)
    #expect(values[Sample.redis] == "redis://127.0.0.1")
    #expect(!values[Sample.wait])
    #expect(values.operands == [])
}

@Test func `values are read attached or apart`() throws {
    let values = try #require(
        try Sample.values([
            "--pt=120x120", "--memory-budget", "2GiB", "--drain-timeout=500ms", "--scale", "1,2.5,3",
            "--source-root",
            "a=b", "--source-root=-c", "--quality", "80", "--colour=green", "--wait", "--redis",
            "redis://u:p@h/1",
        ]))
    #expect(values[Sample.size] == "120x120")
    #expect(values[Sample.budget] == .gibibytes(2))
    #expect(values[Sample.timeout] == .milliseconds(500))
    #expect(values[Sample.scales] == [1, 2.5, 3])
    #expect(values[Sample.roots] == ["a=b", "-c"])
    #expect(values[Sample.quality] == 80)
    #expect(values[Sample.colour] == .green)
    #expect(values[Sample.redis] == "redis://u:p@h/1")
    #expect(values[Sample.wait])
}

@Test func `an argument counts before the environment, the environment before the default`() throws {
    let environment = [
        "SAMPLE_PT": "2x2", "SAMPLE_MEMORY_BUDGET": "64MiB", "SAMPLE_SOURCE_ROOT": "/a:/b",
        "SAMPLE_WAIT": "yes", "REDIS_URL": "",
    ]
    let values = try #require(try Sample.values(["--memory-budget", "32MiB"], environment))
    #expect(values[Sample.size] == "2x2")
    #expect(values[Sample.budget] == .mebibytes(32))
    #expect(values[Sample.roots] == ["/a", "/b"])
    #expect(values[Sample.wait])
    #expect(values[Sample.redis] == "redis://127.0.0.1")
    let given = try #require(try Sample.values(["--source-root", "/c"], environment))
    #expect(given[Sample.roots] == ["/c"])
    #expect(try Sample.values([], ["SAMPLE_PT": "1x1", "SAMPLE_WAIT": "off"])?[Sample.wait] == false)
}

@Test func `of an option that is given twice the last counts`() throws {
    let values = try #require(
        try Sample.values(["--pt", "1x1", "--quality", "5", "--pt=2x2", "--quality", "6"]))
    #expect(values[Sample.size] == "2x2")
    #expect(values[Sample.quality] == 6)
}

@Test func `all problems are reported at once, each with what was got and what was wanted`() {
    let problems = Sample.problems(
        [
            "--memory-budget", "12", "--drain-timeout", "soon", "--scale", "1,x", "--quality=101", "--colour",
            "blue",
            "--wait=please", "stray", "--sacle", "3",
        ], ["REDIS_URL": "http://user:secret@host"])
    #expect(
        problems == [
            "--wait: got “please”, expected no value",
            "--sacle: there is no such option; did you mean --scale?",
            "--pt: is not given, expected a text that is not empty",
            "--scale: got “1,x”, expected a number from 0.1 to 100 such as 3, or up to 4 of them such as 1,2,3",
            "--quality: got “101”, expected a whole number from 1 to 100",
            "--colour: got “blue”, expected one of red, green",
            "--memory-budget: got “12”, expected an amount of bytes of at least 16 MiB such as 512MiB or 2GiB",
            "--drain-timeout: got “soon”, expected a length of time from 0 ms to 1 h such as 500ms, 25s or 2m "
                + "(“soon” does not begin with a number)",
            "REDIS_URL in the environment: expected an address such as redis://127.0.0.1:6379",
            "got “stray”, expected options only",
        ])
}

@Test func `a secret is never shown`() {
    for arguments in [["--redis", "secret"], ["--redis=secret"]] {
        let problems = Sample.problems(["--pt", "1x1"] + arguments)
        #expect(
            problems == ["--redis: expected an address such as redis://127.0.0.1:6379"])
    }
}

@Test func `a forgotten value is noticed at the end and before the next option`() {
    #expect(
        Sample.problems(["--pt", "--wait", "--quality"]) == [
            "--pt: got no value, expected a text that is not empty",
            "--quality: got no value, expected a whole number from 1 to 100",
        ])
    #expect(Sample.problems(["--pt", "--unknown"]) == [])
    #expect(Sample.problems(["--pt="]) == ["--pt: got “”, expected a text that is not empty"])
}

@Test(arguments: [
    ("--scales", "scale"), ("--memory_budget", "memory-budget"), ("--mem", "memory-budget"),
    ("--qualty=5", "quality"),
    ("-wait", "wait"), ("-pt", "pt"),
])
func `an unknown option suggests the nearest`(given: String, suggestion: String) {
    let problems = Sample.problems(["--pt", "1x1", given])
    let name = given.split(separator: "=")[0]
    #expect(problems.first == "\(name): there is no such option; did you mean --\(suggestion)?")
}

@Test(arguments: ["--zzzzzz", "-x", "---", "-="])
func `what resembles nothing suggests nothing`(given: String) {
    #expect(Sample.problems(["--pt", "1x1", given]).first?.hasSuffix("there is no such option") == true)
}

@Test(arguments: [
    ["--help"], ["-h"], ["--nonsense", "--help"], ["--version", "--help"], ["--pt", "--help"],
])
func `help wins over every mistake`(arguments: [String]) throws {
    guard case .showHelp = try Sample.table.parse(arguments, environment: [:]) else {
        Issue.record("no help for \(arguments)")
        return
    }
}

@Test func `the version can be asked for`() throws {
    guard case .showVersion = try Sample.table.parse(["--version"], environment: [:]) else {
        Issue.record("no version")
        return
    }
    #expect(Sample.table.versionText == "sample 1.2.3\n")
}

@Test func `operands follow the options, and all that follows two dashes is one`() throws {
    let table = OptionTable(
        command: "fleet retry", version: "1", summary: "", purpose: "",
        operands: .some(placeholder: "ID…", atLeast: 1), groups: [.init("Jobs", [Sample.wait])],
        exitStatuses: [])
    guard
        case .run(let values) = try table.parse(
            ["a", "--wait", "-", "--", "--wait", "--help"], environment: [:])
    else { return }
    #expect(values.operands == ["a", "-", "--wait", "--help"])
    #expect(values[Sample.wait])
    #expect(throws: UsageError([.operandMissing(wanted: "at least 1 ID…")])) {
        try table.parse(["--wait"], environment: [:])
    }
}

@Test func `a flag's variable takes the usual words`() {
    #expect(
        Sample.problems(["--pt", "1x1"], ["SAMPLE_WAIT": "maybe"]) == [
            "SAMPLE_WAIT in the environment: got “maybe”, expected 1, true, yes or on, or 0, false, no or off"
        ])
}

@Test(arguments: ["nan", "inf", "0", "101", "", "1,,2", "1,2,3,4,5", "٣"])
func `what is no number in range is refused`(text: String) {
    #expect(Sample.problems(["--pt", "1x1", "--scale", text]).count == 1)
}
