import FleetSupport
import Foundation
import JobQueue
import TestSupport
import Testing

/// What the pages for other machines show: with real files and programs as far as this one has them.
struct DeploymentPagesTests {
    @Test func `Redis with the TLS settings of its page is reached as the page says`() async throws {
        let page = Documentation("docs/redis.md")
        let authority = try await TestAuthority()
        let server = try await authority.issue("redis", for: ["DNS:localhost"])
        let own = try await authority.issue("worker", for: ["DNS:us"])
        let port = try PrivateRedis.freePort()
        var settings = try page.example("tls")
        for (there, here) in [
            ("/etc/redis/redis.crt", server.certificate), ("/etc/redis/redis.key", server.key),
            ("/etc/redis/ca.crt", authority.certificate), ("6379", "\(port)"),
        ] {
            #expect(settings.contains(there))
            settings = settings.replacingOccurrences(of: there, with: here)
        }
        // Words of a configuration file are those of the command line behind two dashes.
        let words = settings.split(separator: "\n").flatMap { line in
            ("--" + line).split(separator: " ").map(String.init)
        }
        let fleet = try await TestFleet(configuration: words)
        try await fleet.push(TestFleet.job("one"))
        _ = try await ReaderShell(fleet).run(
            page.example("tls-worker"),
            changes: [
                "worker:PASSWORD@redis.example.org": "localhost:\(port)", "/srv/photos": fleet.sources,
                "/srv/thumbs": fleet.output, "/etc/thumbnail-fleet/ca.crt": authority.certificate,
                "/etc/thumbnail-fleet/worker.crt": own.certificate,
                "/etc/thumbnail-fleet/worker.key": own.key,
            ])
        #expect(try await fleet.results(1)[0].status == .done)
    }

    @Test func `users are made and installed as the page on Redis says`() async throws {
        let reader = try await Reader()
        let outcome = try await reader.shell.run(
            Documentation("deploy/redis/README.md").example("users"), in: reader.place,
            changes: ["-g redis ": "", "/etc/redis/": "etc/"])
        #expect(outcome.output.isEmpty)
        let users = try String(contentsOfFile: reader.place + "/etc/users.acl", encoding: .utf8)
        #expect(users.contains("user worker on #"))
        let address = try String(contentsOfFile: reader.place + "/secrets/worker.env", encoding: .utf8)
        #expect(address.hasPrefix("REDIS_URL=redis://worker:") && address.hasSuffix("@redis.internal:6379\n"))
    }

    /// No engine is asked for: `make deploy-check` builds the image and holds what is composed and applied against
    /// its schemas. Here every file that the page names is there.
    @Test func `what the page on containers shows finds its files`() async throws {
        let page = Documentation("docs/containers.md")
        let reader = try await Reader(standIns: ["docker": "", "kubectl": ""])
        let home = reader.fleet.folder.path
        var calls: [String] = []
        for name in ["compose", "build", "run", "kubernetes"] {
            calls = try await reader.shell.run(
                page.example(name), in: reader.place, environment: ["HOME": home]
            ).calls
        }
        let made = try FileManager.default.contentsOfDirectory(
            atPath: reader.place + "/deploy/container/secrets")
        #expect(Set(made).isSuperset(of: ["worker.env", "operator.env", "redis"]))
        var files = 0
        for call in calls {
            let words = call.split(separator: " ").map(String.init)
            for (option, value) in zip(words, words.dropFirst()) where ["-f", "-k"].contains(option) {
                files += 1
                #expect(FileManager.default.fileExists(atPath: reader.place + "/" + value), "\(call)")
            }
        }
        #expect(files >= 3 && calls.count >= 12, "\(calls)")
        #expect(calls.contains("docker compose up --detach --scale worker=4"), "\(calls)")
    }
}

/// Somebody with a checkout of the project.
private struct Reader {
    let fleet: TestFleet
    let shell: ReaderShell
    let place: String

    init(standIns: [String: String] = [:]) async throws {
        fleet = try await TestFleet()
        shell = try ReaderShell(fleet, standIns: standIns)
        place = fleet.folder.path + "/checkout"
        let top = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
        try FileManager.default.createDirectory(atPath: place + "/etc", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: top + "/deploy", toPath: place + "/deploy")
    }
}
