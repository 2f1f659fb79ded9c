import FleetSupport
import Foundation
import JobQueue
import Redis
import TestSupport
import Testing

/// What README and the pages beside it show is run as it stands, or by a script that is named here.
struct DocumentationTests {
    /// Who runs a page's examples.
    private static let runners: [String: [String: String]] = [
        "README.md": [
            "three-programs": "here", "push": "here", "push.py": "here", "result": "here", "error": "here",
            "worker": "here", "fleet": "here", "demo": "scripts/check-make.sh",
        ],
        "deploy/RUNBOOK.md": [
            "first-look": "here", "retry-moved": "here", "dead-list": "here", "killed": "here",
            "disk-full": "here", "source-away": "here", "service": "here", "threads": "here", "redis": "here",
            "share-away": "here",
        ],
        "deploy/redis/README.md": ["users": "here"],
        "docs/containers.md": ["build": "here", "run": "here", "compose": "here", "kubernetes": "here"],
        "docs/operating.md": ["listen": "here"],
        "docs/producing-and-consuming.md": [
            "push": "ProducingAndConsumingTests.swift", "push.php": "ProducingAndConsumingTests.swift",
            "push_batch.py": "ProducingAndConsumingTests.swift",
            "progress.py": "ProducingAndConsumingTests.swift", "progress": "ProducingAndConsumingTests.swift",
            "follow.py": "ProducingAndConsumingTests.swift", "follow": "ProducingAndConsumingTests.swift",
        ],
        "docs/redis.md": ["tls": "here", "tls-worker": "here"],
        "docs/scaling.md": ["simulate": "scripts/check-make.sh"],
        "docs/systemd.md": Dictionary(
            uniqueKeysWithValues: [
                "install", "redis", "configure", "start", "enqueue", "web-server", "look", "logs", "budget",
                "slice", "stop", "target", "upgrade", "remove",
            ].map { ($0, "scripts/check-package.sh") }),
    ]

    @Test func `every example of every page has a name and somebody who runs it`() throws {
        let pages = try Documentation.pages()
        #expect(pages.count > 10)
        for page in pages {
            let fences = Documentation.fences(of: page)
            #expect(fences.allSatisfy { $0.count == 2 }, "an example without a name on \(page): \(fences)")
            let names = Set(fences.compactMap(\.last))
            let runners = Self.runners[page, default: [:]]
            #expect(names == Set(runners.keys), "\(page)")
            for runner in Set(runners.values) where runner != "here" {
                let path = runner.hasSuffix(".swift") ? "Tests/EndToEndTests/\(runner)" : runner
                let text = Documentation.lines(of: path)
                #expect(text.contains { $0.contains(page) }, "\(runner) does not speak of \(page)")
            }
        }
    }

    @Test func `the page on scaling reckons with the rates that the README has`() throws {
        let readme = Documentation.lines(of: "README.md")
        let scaling = Documentation.lines(of: "docs/scaling.md")
        for (measured, reckoned) in [
            ("photographs", "photographs of 8 MP and more"), ("20-KB pictures", "pictures of 20 KB"),
        ] {
            let row = try #require(readme.first { $0.contains("whole fleet, two cores, \(measured) |") })
            let rate = try #require(
                row.split(separator: "|")[1].split(separator: " ").first.flatMap { Int($0) })
            let hours = String(format: "%.2f", 1e6 / 3600 / Double(rate))
            #expect(
                scaling.contains { $0.hasPrefix("| \(reckoned) | \(rate) | \(hours) |") },
                "\(rate) jobs a second of \(measured)")
            // 5,300 jobs a second are what the page lets one Redis carry.
            let cores = Int((5_300 * 2 / Double(rate)).rounded())
            #expect(scaling.contains("| \(reckoned) | \(cores) |"), "\(cores) cores of \(measured)")
        }
    }

    // MARK: README

    @Test func `the three programs of the README's first example work together`() async throws {
        let page = Documentation("README.md")
        let fleet = try await TestFleet(pictures: ["b/a.jpg": "landscape-420.jpg", "c.jpg": "square-444.jpg"])
        // A terminal each: the worker is there before the one who waits for it.
        let lines = try page.commands("three-programs")
        let worker = try #require(lines.first { $0.hasPrefix("worker ") })
        let others = lines.filter { $0 != worker }
        #expect(others.count == 2 && others[0].hasPrefix("enqueue ") && others[1].hasPrefix("fleet "))
        let shell = try ReaderShell(fleet)
        // The shell's own would end before there is a job.
        let command = worker.replacingOccurrences(of: "worker ", with: BuiltProgram.path("worker") + " ")
        let outcome = try await shell.run(
            """
            \(command) 2>log & worker=$!
            trap 'kill $worker' EXIT
            \(others[0])
            \(others[1])
            """)
        #expect(outcome.output.contains("WORKER"), "\(outcome.output)")
        #expect(fleet.thumbnail("120x120@3x/b/a.jpg") != nil && fleet.thumbnail("120x120@3x/c.jpg") != nil)
    }

    @Test func `what the README pushes becomes results with the members that it shows`() async throws {
        let page = Documentation("README.md")
        let fleet = try await TestFleet(pictures: [
            "albums/a.jpg": "landscape-420.jpg", "cut.jpg": "cut-half.jpg",
        ])
        let shell = try ReaderShell(fleet)
        _ = try await shell.run(page.example("push"))
        // Python's own words name no address, which is the machine's.
        let program = try page.example("push.py").replacingOccurrences(
            of: "redis.Redis()", with: "redis.Redis(unix_socket_path=\"\(fleet.redis.socket)\")")
        let python = try ChildProcess("/usr/bin/python3", ["-c", program])
        #expect(await python.wait() == .status(0), "\(python.standardError)")
        try await fleet.push(#"{"source":"cut.jpg","pt":"9x9","scale":1,"batch":"b1"}"#)
        try await fleet.push(#"{"source":"albums/a.jpg","pt":"9x9","scale":1,"batch":"b1"}"#)
        _ = try await shell.run(
            page.example("worker"), changes: ["/srv/photos": fleet.sources, "/srv/thumbs": fleet.output])
        let results = try await fleet.results(4)
        #expect(results.filter { $0.status == .done }.count == 3)
        #expect(fleet.thumbnail("120x120@2x/albums/a.jpg") != nil, "a scale of the example in Python")

        let texts =
            try await fleet.client.call(RedisCommand("XRANGE", fleet.keys.results, "-", "+"))
            .array?.compactMap { $0.array?.last?.array?.last?.text } ?? []
        func shape(_ text: String) throws -> Set<String> {
            try JSONDecoder().decode(JSONShape.self, from: Data(text.utf8)).paths
        }
        let done = try #require(texts.first { $0.contains(#""batch":"b1""#) && $0.contains(#""done""#) })
        #expect(try shape(page.example("result")) == shape(done))
        let failed = try #require(texts.first { $0.contains(#""failed""#) })
        let error = try shape(failed).filter { $0.hasPrefix("error.") }.map { String($0.dropFirst(6)) }
        #expect(try shape(page.example("error")) == Set(error))
    }

    @Test func `fleet says it in the words and columns that the README shows`() async throws {
        let shown = try Documentation("README.md").example("fleet")
        let fleet = try await TestFleet()
        let worker = try fleet.worker()
        for number in 0..<3 { try await fleet.push(#"{"source":"\#(number).jpg","pt":"9x9","scale":1}"#) }
        _ = try await fleet.results(3)
        try await fleet.operators.pause(because: "moving the disk")
        try await fleet.push(TestFleet.job("waits"))
        let shell = try ReaderShell(fleet)
        let commands = shown.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
        let said = try await shell.run(commands.joined(separator: "\n")).output
        // The first word of a line says what it is about; a table's head is a line of its own.
        func topics(_ text: String) -> Set<Substring> {
            let lines = text.split(separator: "\n")
            let heads = lines.filter { $0.hasPrefix("WORKER ") || $0.contains("AGE  CODE") }
            return Set(
                lines.filter { $0.hasPrefix("  ") && $0.first(where: { $0 != " " })?.isLetter == true }
                    .compactMap { $0.split(separator: " ").first }
                    + heads.flatMap { $0.split(separator: " ") })
        }
        // What the page shows of its own fleet only.
        #expect(topics(shown).subtracting(topics(said)) == [], "\(said)")
        await fleet.stop([worker])
    }

    // MARK: for operators

    @Test func `what the page on operating shows of a listening worker is true`() async throws {
        let page = Documentation("docs/operating.md")
        let fleet = try await TestFleet()
        let address = "127.0.0.1:\(try PrivateRedis.freePort())"
        let lines = try page.commands("listen").map { line in
            line.replacingOccurrences(of: "127.0.0.1:9464", with: address)
                .replacingOccurrences(of: "/srv/photos", with: fleet.sources)
                .replacingOccurrences(of: "/srv/thumbs", with: fleet.output)
        }
        #expect(lines.count == 3 && lines[0].hasPrefix("worker ") && lines[2].hasPrefix("fleet health"))
        let worker = lines[0].dropFirst("worker ".count)
        let outcome = try await ReaderShell(fleet).run(
            """
            \(BuiltProgram.path("worker")) \(worker) 2>log & worker=$!
            trap 'kill $worker' EXIT
            curl() { python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' "$1"; }
            until \(lines[2]) >health; do kill -0 $worker; done
            \(lines[1])
            \(lines[2])
            """, environment: ["THUMBNAIL_LISTEN": address])
        #expect(outcome.output.contains("# TYPE thumbnail_jobs_total counter"), "\(outcome.output)")
    }

    @Test func `the runbook's commands work`() async throws {
        let page = Documentation("deploy/RUNBOOK.md")
        let fleet = try await TestFleet(pictures: ["a.jpg": "landscape-420.jpg"])
        try fleet.write(Array("no picture".utf8), to: "text.jpg")
        try await fleet.push(
            TestFleet.job("one"), #"{"source":"gone.jpg","pt":"9x9","scale":1}"#,
            #"{"source":"text.jpg","pt":"9x9","scale":1}"#)
        let worker = try fleet.worker()
        _ = try await fleet.results(3)
        // Debian has them; what they say of this machine's services is nothing to this test.
        let shell = try ReaderShell(
            fleet,
            standIns: [
                "journalctl": #"{"level":"error"} oom-kill"#, "systemctl": "active", "coredumpctl": "none",
            ])
        var calls: [String] = []
        for name in page.names.sorted() {
            let example = try page.example(name).replacingOccurrences(of: " PID", with: " \(worker.pid)")
            calls = try await shell.run(example).calls
        }
        #expect(calls.contains("systemctl restart thumbnail-worker@*"), "\(calls)")
        let saved = try #require(Fixture.contents(of: fleet.folder.path + "/dead.jsonl"))
        #expect(String(decoding: saved, as: UTF8.self).contains("not_an_image"))
        // Each example that pauses also resumes.
        let pause = try await fleet.operators.pauseReason()
        #expect(pause == nil)
        await fleet.stop([worker])
    }
}
