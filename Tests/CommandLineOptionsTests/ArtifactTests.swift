import CommandLineOptions
import Testing

struct ArtifactTests {
    private let program = ProgramDescription(
        Sample.table,
        references: .init(files: [("/etc/sample.conf", "What it reads.")], seeAlso: ["find(1)", "awk(1)"]))

    @Test(arguments: ["--generate=man", "--generate man", "--wait --generate man --pt"])
    func `what is asked for wins over what else is on the command line`(line: String) throws {
        let arguments = line.split(separator: " ").map(String.init)
        guard case .generate(.man) = try Sample.table.parse(arguments, environment: [:]) else {
            Issue.record("\(arguments) asks for the manual page")
            return
        }
    }

    @Test func `what cannot be generated is told with what can`() {
        let known = "man, complete-bash, complete-zsh, complete-fish, environment"
        #expect(
            Sample.problems(["--pt", "1x1", "--generate", "html"])
                == ["--generate: got “html”, expected one of \(known)"])
        #expect(
            Sample.problems(["--pt", "1x1", "--generate"]) == [
                "--generate: got no value, expected one of \(known)"
            ])
    }

    @Test func `the manual page has the sections that readers look for, in their order`() {
        let page = program.text(of: .man, date: "2026-11-30")
        #expect(page.hasPrefix(#".TH "SAMPLE" "1" "2026-11-30" "sample 1.2.3" "User commands""# + "\n"))
        let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH") }
        #expect(
            sections == [
                #".SH "NAME""#, #".SH "SYNOPSIS""#, #".SH "DESCRIPTION""#, #".SH "OPTIONS""#,
                #".SH "ENVIRONMENT""#, #".SH "EXIT STATUS""#, #".SH "EXAMPLES""#, #".SH "FILES""#,
                #".SH "SEE ALSO""#,
            ])
        #expect(page.contains("sample \\- show every kind of option\n"))
        #expect(
            page.contains(".TP\n\\fB\\-\\-pt\\fR \\fIWxH\\fR\nThe box in points. [required]\n"),
            "an option with its text, and its variable in a section of its own")
        #expect(page.contains(".TP\n\\fBSAMPLE_PT\\fR\n\\fB\\-\\-pt\\fR\n"))
        #expect(page.hasSuffix("\\fBawk\\fR(1),\n\\fBfind\\fR(1)\n"))
    }

    @Test func `no line of prose becomes a request`() {
        let table = OptionTable(
            command: "dots", version: "1", summary: "has dots", purpose: ".SH is a word here, and \\n too.",
            groups: [], exitStatuses: [.done])
        #expect(ProgramDescription(table).text(of: .man).contains("\n\\&.SH is a word here, and \\en too.\n"))
    }

    @Test func `the environment file has every variable, as a comment`() {
        let lines = program.text(of: .environment).split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.hasPrefix("#") })
        #expect(
            lines.filter { $0.contains("=") } == [
                "#SAMPLE_PT=WxH", "#SAMPLE_WAIT=1", "#SAMPLE_MEMORY_BUDGET=BYTES", "#SAMPLE_SOURCE_ROOT=DIR",
                "#REDIS_URL=URL",
            ])
    }
}
