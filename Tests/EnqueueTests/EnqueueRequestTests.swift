import CommandLineOptions
import Geometry
import Redis
import Testing

@testable import Enqueue

private func parsed(_ arguments: [String], _ environment: [String: String] = [:]) throws -> EnqueueRequest? {
    guard case .run(let values) = try EnqueueOptions.table.parse(arguments, environment: environment) else {
        return nil
    }
    return try EnqueueRequest(values)
}

private func problems(_ arguments: [String]) -> [String] {
    do {
        _ = try parsed(arguments)
        return []
    } catch let error as UsageError {
        return error.problems.map(\.description)
    } catch {
        return ["\(error)"]
    }
}

@Test func `the shortest command has sensible defaults`() throws {
    let request = try #require(try parsed(["--dir", "photos", "--pt", "120x120"]))
    guard case .directories(["photos"]) = request.source else {
        Issue.record("\(request.source)")
        return
    }
    #expect(request.pointSize == (try PointSize(width: 120, height: 120)))
    #expect(request.scales == [1])
    #expect(request.redis.description == "redis://127.0.0.1:6379")
    #expect(request.queue == "thumbnails")
    #expect(
        request.quality == nil && !request.batch.isEmpty && request.maxBacklog == nil
            && request.relativeTo == nil)
    #expect(!request.waits && !request.printsJSON && !request.isDryRun)
}

@Test func `a list may end its names with zero bytes and come from standard input`() throws {
    let request = try #require(try parsed(["--files-from", "-", "--null", "--pt", "1x1"]))
    guard case .list(path: nil, separator: 0) = request.source else {
        Issue.record("\(request.source)")
        return
    }
    let named = try #require(try parsed(["--files-from=list", "--pt", "1x1"]))
    guard case .list(path: "list", separator: 10) = named.source else {
        Issue.record("\(named.source)")
        return
    }
}

@Test func `what does not go together is told`() {
    #expect(problems(["--pt", "1x1"]) == ["expected --dir DIR or --files-from FILE, got neither"])
    #expect(
        problems(["--pt", "1x1", "--dir", "a", "--files-from", "b", "--dry-run", "--wait"]) == [
            "expected either --dir or --files-from, got both",
            "--wait: nothing is pushed with --dry-run, so nothing can be waited for",
        ])
    #expect(
        problems(["--pt", "1x1", "--dir", "a", "--null"]) == [
            "--null: is about the list of --files-from, which is not given"
        ])
}

@Test func `values out of range are told with what is wanted`() {
    #expect(
        problems(["--pt", "120", "--scale", "0", "--quality", "0", "--max-backlog", "-1"]) == [
            "--pt: got “120”, expected a width and a height in points such as 120x120 or 533.4x1000",
            "--scale: got “0”, expected a number above 0 such as 3, or up to 16 of them such as 1,2,3",
            "--quality: got “0”, expected a whole number from 1 to 100",
            "--max-backlog: got “-1”, expected a whole number of at least 1",
        ])
}

@Test func `a wrong address is told without its password`() {
    let sentinel = problems(["--pt", "1x1", "--dir", "a", "--redis", "sentinel://me:secret@host"])
    #expect(sentinel.count == 1)
    #expect(sentinel[0].hasPrefix("--redis: expected an address such as redis://"))
    #expect(sentinel[0].contains("needs the primary's name after a slash"))
    #expect(!sentinel[0].contains("secret"))
    let swapped = problems(["--pt", "1x1", "--dir", "a", "--redis", "redis://:secret"])
    #expect(swapped.count == 1)
    #expect(swapped[0].contains("a password stands before an @, as in redis://:password@host"))
    #expect(!swapped[0].contains("secret"))
}

@Test func `files for TLS belong together, and to an address with TLS`() {
    func problems(_ address: String, _ more: String...) -> [String] {
        EnqueueTests.problems(["--pt", "1x1", "--dir", "a", "--redis", address] + more)
    }
    #expect(
        problems("redis://:secret@h", "--redis-ca", "ca.pem") == [
            "--redis-ca: is about TLS, and redis://h:6379 has none: write rediss:// or sentinels://, or leave it out"
        ])
    #expect(problems("rediss://h", "--redis-cert", "a.pem") == ["--redis-cert: needs --redis-key beside it"])
    #expect(
        problems("sentinels://h/m", "--redis-key", "a.pem") == ["--redis-key: needs --redis-cert beside it"])
    #expect(
        problems("rediss://h", "--redis-ca", "ca.pem", "--redis-cert", "a.pem", "--redis-key", "a.key") == [])
}

@Test func `the help fits a terminal and names every option`() {
    let help = EnqueueOptions.table.helpText(width: 90)
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 90 || $0.hasPrefix("  find ") })
    for option in EnqueueOptions.table.options {
        #expect(help.contains("--\(option.facts.name)"))
        #expect(option.facts.environment != nil)
    }
}
