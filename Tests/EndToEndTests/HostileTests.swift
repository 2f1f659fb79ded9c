import FleetSupport
import FoundationEssentials
import Glibc
import JobQueue
import TestSupport
import Testing

/// Files and jobs as an attacker gives them, to a worker as it is shipped: each has its code, none hangs, and the
/// worker is as it was.
struct HostileTests {
    @Test func `hostile files and outputs have their codes and leave no descriptor and no file`() async throws
    {
        let fleet = try await TestFleet()
        try fleet.makeHostileFiles()
        let isFull = fleet.makeFullDisk("thumbs/full")
        defer { fleet.unmount("thumbs/full") }
        var jobs = HostileTests.jobs(outside: fleet.folder.path + "/outside")
        if isFull { jobs.append((#""output":"full/x.jpg""#, "a.jpg", .outputUnwritable)) }
        let worker = try fleet.worker(["--memory-budget", "64MiB"])
        for (number, job) in jobs.enumerated() {
            try await fleet.push(
                #"{"source":"\#(job.source)","pt":"9x9","scale":1,"id":"\#(number)","# + job.more + "}")
        }
        let results = try await fleet.results(jobs.count)
        for (number, job) in jobs.enumerated() {
            let error = results.first { $0.id == "\(number)" }?.error
            #expect(
                error?.code == job.code, "\(job.source.prefix(60)), \(job.more): \(error?.message ?? "done")")
        }
        try await fleet.push(TestFleet.job("last"))
        let all = try await fleet.results(jobs.count + 1)
        #expect(all.last?.status == .done)
        // Source root and output, each once to open files beneath and once for the fence.
        try await eventually("all but four descriptors to be closed") {
            worker.descriptors(beneath: fleet.folder.path) <= 4 ? () : nil
        }
        #expect(try fleet.unfinishedFiles().isEmpty)
        let outside = try FileManager.default.contentsOfDirectory(atPath: fleet.folder.path + "/outside")
        #expect(outside == ["secret.jpg"], "nothing was written outside")
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    /// Sources, and what else the job says, with the code of its failure; nil for a job that is done.
    private static func jobs(outside: String) -> [(more: String, source: String, code: ErrorCode?)] {
        let sources: [(String, ErrorCode)] = [
            ("fifo.jpg", .sourceForbidden), ("socket.jpg", .sourceForbidden), ("folder", .sourceForbidden),
            ("link.jpg", .sourceForbidden), ("..", .sourceForbidden),
            ("../outside/secret.jpg", .sourceForbidden),
            (outside + "/secret.jpg", .sourceForbidden), ("/proc/self/environ", .sourceForbidden),
            ("/dev/zero", .sourceForbidden), ("proc/self/environ", .sourceForbidden),
            ("hole.jpg", .notAnImage), ("picture-and-hole.jpg", .memoryBudgetExceeded),
            ("a\\u0000.jpg", .invalidJob), (String(repeating: "n/", count: 2047) + "nn", .invalidJob),
            (String(repeating: "n", count: 300), .sourceUnreadable),
        ]
        let outputs: [(String, ErrorCode?)] = [
            ("../x.jpg", .sourceForbidden), (outside + "/x.jpg", .sourceForbidden),
            ("out/x.jpg", .sourceForbidden), ("folder", .outputUnwritable), ("x/", .invalidJob),
            ("file/x.jpg", .outputUnwritable), ("x\\u0000.jpg", .invalidJob),
            // A link in the place of the file itself is replaced.
            ("secret.jpg", nil),
        ]
        return sources.map { (#""quality":80"#, $0.0, $0.1) }
            + outputs.map { (#""output":"\#($0.0)""#, "a.jpg", $0.1) }
    }

    @Test func `bombs cost a worker less than 2 MiB beyond what photographs do`() async throws {
        let fleet = try await TestFleet(pictures: [
            "a.jpg": "landscape-420.jpg", "bomb.jpg": "bomb.jpg", "scans.jpg": "scans-501.jpg",
        ])
        let worker = try fleet.worker(["--memory-budget", "64MiB"])
        for number in 0..<30 { try await fleet.push(TestFleet.job("photograph-\(number)")) }
        _ = try await fleet.results(30)
        let before = worker.memory("VmHWM")
        for number in 0..<60 {
            let source = number % 2 == 0 ? "bomb.jpg" : "scans.jpg"
            try await fleet.push(#"{"source":"\#(source)","pt":"30x30","scale":1,"id":"bomb-\#(number)"}"#)
        }
        let bombs = try await fleet.results(90).suffix(60)
        #expect(bombs.allSatisfy { $0.error?.code == .imageRefused })
        #expect(worker.memory("VmHWM") - before < 2 << 20)
        await fleet.stop([worker])
    }

    /// One that is too large to be read with its header.
    @Test func `a file that is cut or replaced between its header and its bytes is read again`() async throws
    {
        for change in ["cut", "replaced"] {
            let fleet = try await TestFleet(pictures: ["a.jpg": "landscape-rgb.jpg"])
            let worker = try fleet.worker(environment: ["THUMBNAIL_FAILPOINT": "inspected=stop:a.jpg"])
            try await fleet.push(TestFleet.job("one"))
            try await eventually("the worker to stop") {
                worker.standardError.contains("failpoint inspected: stop") ? () : nil
            }
            let whole = Fixture.bytes("landscape-rgb.jpg")
            // In place: the worker has the file open.
            let path = fleet.sources + "/a.jpg"
            let length = change == "cut" ? 5000 : whole.count + 1
            try #require(unsafe truncate(path, length) == 0)
            worker.send(SIGCONT)
            let result = try await fleet.results(1)[0]
            #expect((result.attempt ?? 0) >= 2, "the first was source_unreadable, and retried")
            #expect(change == "cut" ? result.error?.code == .truncatedImage : result.status == .done)
            await fleet.stop([worker])
            try await fleet.expectAllSettled()
        }
    }

    @Test func `jobs of odd numbers, keys and depths are buried or done, and the next one runs`() async throws
    {
        let fleet = try await TestFleet()
        let good = #""source":"a.jpg","pt":"9x9","scale":1"#
        let nested = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        let jobs: [(text: String, code: ErrorCode?)] = [
            ("{\(good),\"quality\":1e999}", .invalidJob),
            ("{\(good),\"v\":-9223372036854775809}", .invalidJob),
            (#"{"source":"a.jpg","pt":"9x9","scale":1e307}"#, nil),
            (#"{"source":"a.jpg","pt":"9e307x9e307","scale":100}"#, .invalidJob),
            (
                #"{"source":"a.jpg","pt":"9x9","scale":[\#(Array(repeating: "1", count: 17).joined(separator: ","))]}"#,
                .invalidJob
            ),
            ("{\(good),\"quality\":" + String(repeating: "9", count: 60_000) + "}", .invalidJob),
            ("{\"source\":\"missing.jpg\",\(good)}", nil), ("{\(good),\"source\":7}", .invalidJob),
            ("{\(good),\"x\":\(nested)}", nil),
            ("{\(good),\"x\":" + String(repeating: "[", count: 30_000) + "}", .invalidJob),
            ("{\(good),\"x\":[" + Array(repeating: "[]", count: 20_000).joined(separator: ",") + "]}", nil),
            ("{\(good)} {\(good)}", .invalidJob), ("{\(good),}", .invalidJob),
        ]
        for job in jobs { try await fleet.push(job.text) }
        try await fleet.push(TestFleet.job("last"))
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait(atMost: .seconds(90)) == .status(0))
        let results = try await fleet.results(jobs.count + 1)
        for job in jobs {
            let ticket = Job.read(Array(job.text.utf8)).ticket
            let result = results.first { $0.id == ticket.id }
            #expect(result != nil && result?.error?.code == job.code, "\(job.text.prefix(90))")
        }
        #expect(results.contains { $0.id == "last" && $0.status == .done })
        try await fleet.expectAllSettled()
    }
}

extension ChildProcess {
    /// How many descriptors the program has open on something beneath a folder.
    fileprivate func descriptors(beneath folder: String) -> Int {
        let table = "/proc/\(pid)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: table)) ?? []
        return numbers.count { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(table)/\(number)")
            return target?.hasPrefix(folder) == true
        }
    }
}

extension TestFleet {
    /// Everything that can stand where a picture or a thumbnail should.
    fileprivate func makeHostileFiles() throws {
        try write([1], to: "../outside/secret.jpg")
        try write([], to: "folder/inside.jpg")
        try write([], to: "hole.jpg")
        try write(Fixture.bytes("landscape-420.jpg"), to: "picture-and-hole.jpg")
        for name in ["hole.jpg", "picture-and-hole.jpg"] {
            try #require(unsafe truncate(sources + "/" + name, 1 << 40) == 0)
        }
        try #require(unsafe mkfifo(sources + "/fifo.jpg", 0o644) == 0)
        try #require(unsafe mknod(sources + "/socket.jpg", S_IFSOCK | 0o644, 0) == 0)
        try link("link.jpg", to: folder.path + "/outside/secret.jpg")
        try link("proc", to: "/proc")
        try write([], to: "../thumbs/folder/inside")
        try write([], to: "../thumbs/file")
        try link("../thumbs/out", to: folder.path + "/outside")
        try link("../thumbs/secret.jpg", to: folder.path + "/outside/secret.jpg")
    }

    /// Another file system, of 1 MiB, with no byte left; false where this process may not mount one.
    fileprivate func makeFullDisk(_ path: String) -> Bool {
        let target = folder.path + "/" + path
        guard unsafe mkdir(target, 0o755) == 0,
            unsafe "size=1m".withCString({ unsafe mount("tmpfs", target, "tmpfs", 0, $0) == 0 })
        else { return false }
        let descriptor = unsafe open(target + "/filling", O_WRONLY | O_CREAT, 0o644)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while unsafe Glibc.write(descriptor, page, page.count) > 0 {}
        return errno == ENOSPC
    }

    fileprivate func unmount(_ path: String) {
        _ = unsafe umount2(folder.path + "/" + path, Int32(MNT_DETACH))
    }
}
