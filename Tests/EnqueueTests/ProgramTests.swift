import Glibc
import JobQueue
import Redis
import TestSupport
import Testing

@testable import Enqueue

/// The program as it ships: what it prints and how it ends.
struct ProgramTests {
    @Test func `jobs are enqueued and counted, and that is all it says`() async throws {
        let scratch = Scratch()
        for name in ["b.jpg", "a.jpg"] { scratch.file(name) }
        scratch.file("c.png", Scratch.png)
        let queue = try await TestQueue()
        let program = try queue.enqueue(["--dir", scratch.path, "--batch", "mine", "--scale", "1,2"])
        #expect(await program.wait() == .status(0))
        #expect(
            program.standardOutput == "enqueued 2 jobs as batch mine\nskipped 1: 1 in png format\n")
        #expect(program.standardError == "")
        #expect(try await queue.waitingSources() == [scratch.path("a.jpg"), scratch.path("b.jpg")])
    }

    @Test func `the JSON is one object with the promised keys`() async throws {
        let scratch = Scratch()
        for name in ["a.jpg", "b-bad.jpg", "c-bad.jpg"] { scratch.file(name) }
        scratch.file("d.txt", Array("text".utf8))
        let queue = try await TestQueue()
        let pushed = try queue.enqueue(["--dir", scratch.path, "--batch", "one", "--json"])
        #expect(await pushed.wait() == .status(0))
        #expect(pushed.standardOutput == #"{"batch":"one","enqueued":3,"skipped":1}"# + "\n")
        let waited = try queue.enqueue(["--dir", scratch.path, "--batch", "two", "--json", "--wait"])
        #expect(try await queue.settle(until: waited) == .status(1))
        #expect(
            waited.standardOutput == #"{"batch":"two","enqueued":3,"skipped":1,"finished":1,"failed":2,"#
                + #""errors":{"truncated_image":2}}"# + "\n")
        let empty = try queue.enqueue(["--files-from", "/dev/null", "--batch", "three", "--json", "--wait"])
        #expect(await empty.wait() == .status(0))
        #expect(
            empty.standardOutput
                == #"{"batch":"three","enqueued":0,"skipped":0,"finished":0,"failed":0,"errors":{}}"# + "\n")
    }

    @Test func `waiting ends with a summary that says what failed and what to do`() async throws {
        let scratch = Scratch()
        for number in 100..<149 { scratch.file("\(number).jpg") }
        scratch.file("x-bad.jpg")
        let queue = try await TestQueue()
        let program = try queue.enqueue(["--dir", scratch.path, "--batch", "b", "--wait"])
        #expect(try await queue.settle(until: program) == .status(1))
        let lines = program.standardOutput.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.first == "enqueued 50 jobs as batch b")
        #expect(lines.dropFirst().first?.hasPrefix("finished 49, failed 1 in ") == true)
        #expect(
            lines.dropFirst(2).first?.hasPrefix("  1  truncated_image: the file is cut off, as by") == true)
        #expect(
            lines.suffix(2) == [
                "for example", "  \(scratch.path("x-bad.jpg")): the file is cut off: 3 of 9 rows are good",
            ])
        #expect(program.standardError.hasPrefix("enqueue: "))
        #expect(program.standardError.contains("50 of 50 jobs settled (100 %), 1 failed"))
        #expect(!program.standardError.contains("\r"))
        let good = try queue.enqueue(["--dir", scratch.path, "--batch", "c", "--wait", "--max-backlog", "49"])
        #expect(await good.wait() == .status(75))
    }

    @Test func `without a picture it says what it looked at and does not wait`() async throws {
        let scratch = Scratch()
        let queue = try await TestQueue()
        let empty = try queue.enqueue(["--dir", scratch.path, "--wait"])
        #expect(await empty.wait() == .status(0))
        #expect(empty.standardOutput == "nothing to enqueue: there is no file beneath \(scratch.path)\n")
        scratch.file("a.txt", Array("text".utf8))
        let texts = try queue.enqueue(["--dir", scratch.path, "--wait"])
        #expect(await texts.wait() == .status(0))
        #expect(
            texts.standardOutput
                == "nothing to enqueue: no picture that workers can read among 1 file beneath \(scratch.path)\n"
                + "skipped 1: 1 no picture\n")
    }

    @Test(arguments: [[], ["--dry-run"], ["--wait"], ["--json"]])
    func `nothing found is an error only for who asks for it`(more: [String]) async throws {
        let scratch = Scratch()
        let queue = try await TestQueue()
        for (option, status) in [([], 0), (["--fail-if-empty"], Int32(66))] {
            let program = try queue.enqueue(["--dir", scratch.path] + option + more)
            #expect(await program.wait() == .status(status))
            #expect(
                (program.standardOutput + program.standardError).contains(
                    more == ["--json"] ? #""enqueued":0"# : "nothing to enqueue"))
        }
    }

    @Test func `a wrong command line ends with 64 and names each problem`() async throws {
        let queue = try await TestQueue()
        let program = try queue.enqueue(["--scale", "zero"])
        #expect(await program.wait() == .status(64))
        #expect(program.standardError.split(separator: "\n").count == 2)
        #expect(program.standardError.hasSuffix("enqueue: see enqueue --help\n"))
    }

    @Test func `a directory or a list that is not there ends with 78`() async throws {
        let queue = try await TestQueue()
        for arguments in [["--dir", "/nowhere/photos"], ["--files-from", "/nowhere/list"]] {
            let program = try queue.enqueue(arguments)
            #expect(await program.wait() == .status(78))
            #expect(program.standardError.contains("“\(arguments[1])”"))
            #expect(program.standardError.contains("No such file or directory"))
        }
    }

    @Test func `a full queue ends with 75 and says what was pushed`() async throws {
        let scratch = Scratch()
        for name in ["a.jpg", "b.jpg", "c.jpg"] { scratch.file(name) }
        let queue = try await TestQueue()
        let arguments = ["--dir", scratch.path, "--batch", "b", "--json", "--max-backlog", "2"]
        let program = try queue.enqueue(arguments)
        #expect(await program.wait() == .status(75))
        #expect(program.standardOutput == #"{"batch":"b","enqueued":2,"skipped":0}"# + "\n")
        #expect(
            program.standardError == """
                enqueue: the queue is full: 2 jobs wait, and --max-backlog allows 2
                enqueue: 2 jobs were enqueued as batch b, the last one for “\(scratch.path("b.jpg"))”; \
                enqueue the rest when workers have caught up
                enqueue: or let it push the rest as workers take jobs, with --wait-for-room

                """)
        let again = try queue.enqueue(arguments)
        #expect(await again.wait() == .status(75))
        #expect(again.standardError.contains("nothing was enqueued; try again when workers have caught up"))
    }

    @Test func `a pipe that is closed ends a dry run`() async throws {
        let scratch = Scratch()
        scratch.file("list", Array((0..<100_000).map { "/photos/\($0).jpg" }.joined(separator: "\n").utf8))
        let program = try ChildProcess(
            "sh",
            [
                "-c", #""$0" --files-from "$1" --pt 1x1 --dry-run | head -n 1; echo done"#,
                BuiltProgram.path("enqueue"), scratch.path("list"),
            ])
        #expect(await program.wait() == .status(0))
        #expect(program.standardOutput.hasPrefix(#"{"source":"/photos/0.jpg","pt":"1x1","scale":1,"#))
        #expect(program.standardOutput.hasSuffix("}\ndone\n"))
        #expect(program.standardError == "")
    }
}
