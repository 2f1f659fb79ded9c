import FleetSupport
import Foundation
import JobQueue
import Redis
import TestSupport
import Testing

/// All three programs through TLS, as an operator starts them.
struct SecureTransportTests {
    @Test func `a whole fleet works through TLS, and a worker comes back behind its fence`() async throws {
        let authority = try await TestAuthority()
        let (fleet, port) = try await Self.fleet(trusting: authority)
        let own = try await authority.issue("client", for: ["DNS:us"])
        let url = "rediss://localhost:\(port)"
        let files = [
            "THUMBNAIL_REDIS_CA": authority.certificate, "THUMBNAIL_REDIS_CERT": own.certificate,
            "THUMBNAIL_REDIS_KEY": own.key,
        ]
        let worker = try fleet.worker(redis: url, environment: files)
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        try await fleet.untilAsleep(worker)
        _ = try await fleet.client.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        try await fleet.push(TestFleet.job("two"))
        #expect(try await fleet.results(2).allSatisfy { $0.status == .done })

        let enqueue = try ChildProcess(
            BuiltProgram.path("enqueue"),
            ["--dir", fleet.sources, "--pt", "9x9", "--wait", "--redis", url], environment: files)
        #expect(await enqueue.wait() == .status(0), "\(enqueue.standardError)")
        let audit = try ChildProcess(
            BuiltProgram.path("fleet"),
            [
                "audit", "--redis", url, "--redis-ca", authority.certificate, "--redis-cert", own.certificate,
                "--redis-key", own.key,
            ])
        #expect(await audit.wait() == .status(0), "\(audit.standardError)")
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    /// As Kubernetes mounts secrets: what is named are links, and a folder behind them is exchanged.
    @Test func `certificates that are renewed count for a running worker's next connection`() async throws {
        let (authority, next) = (try await TestAuthority(), try await TestAuthority("Next Authority"))
        let (fleet, port) = try await Self.fleet(trusting: authority)
        let secret = try TemporaryFolder()
        func mount(_ authority: TestAuthority, as version: String) async throws {
            let own = try await authority.issue("client", for: ["DNS:us"])
            let folder = "\(secret.path)/\(version)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for (file, name) in [(authority.certificate, "ca"), (own.certificate, "crt"), (own.key, "key")] {
                try FileManager.default.copyItem(atPath: file, toPath: "\(folder)/\(name)")
            }
            try FileManager.default.createSymbolicLink(
                atPath: "\(secret.path)/..new", withDestinationPath: version)
            let status = unsafe rename("\(secret.path)/..new", "\(secret.path)/..data")
            try #require(status == 0)
        }
        try await mount(authority, as: "..1")
        var files: [String: String] = [:]
        for (name, variable) in [("ca", "CA"), ("crt", "CERT"), ("key", "KEY")] {
            let path = "\(secret.path)/\(name)"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "..data/\(name)")
            files["THUMBNAIL_REDIS_\(variable)"] = path
        }
        let worker = try fleet.worker(redis: "rediss://localhost:\(port)", environment: files)
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)

        try await mount(next, as: "..2")
        let served = next.serving(
            try await next.issue("redis", for: ["DNS:localhost"]), port: port, demandsCertificate: true)
        // The port stays; of the others each option is a parameter's name.
        var change = RedisCommand("CONFIG", "SET")
        for word in served.dropFirst(2) {
            change.append(word.hasPrefix("--") ? String(word.dropFirst(2)) : word)
        }
        _ = try await fleet.client.call(change)
        _ = try await fleet.client.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        try await fleet.push(TestFleet.job("two"))
        #expect(try await fleet.results(2).allSatisfy { $0.status == .done })
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    @Test func `a renewed certificate without its key is told of once, and so is the end of it`() async throws
    {
        let authority = try await TestAuthority()
        let (fleet, port) = try await Self.fleet(trusting: authority)
        let own = try await authority.issue("client", for: ["DNS:us"])
        let worker = try fleet.worker(
            redis: "rediss://localhost:\(port)",
            environment: [
                "THUMBNAIL_REDIS_CA": authority.certificate, "THUMBNAIL_REDIS_CERT": own.certificate,
                "THUMBNAIL_REDIS_KEY": own.key,
            ])
        try await fleet.untilAsleep(worker)
        let next = try await authority.issue("next", for: ["DNS:us"])
        try Self.exchange(own.certificate, for: next.certificate)
        let event = #""event":"redis.certificates_unusable""#
        try await eventually("the event") { worker.standardError.contains(event) ? () : nil }
        #expect(worker.standardError.contains("does not belong to"))
        // Meanwhile a new connection is made with the files from before.
        _ = try await fleet.client.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        try Self.exchange(own.key, for: next.key)
        try await eventually("the end of it") {
            worker.standardError.contains(#""event":"redis.certificates_usable""#) ? () : nil
        }
        #expect(worker.standardError.components(separatedBy: event).count == 2, "once")
        await fleet.stop([worker])
        try await fleet.expectAllSettled()
    }

    /// A fleet whose Redis listens at the port, too, for those with a certificate of this authority.
    private static func fleet(
        trusting authority: TestAuthority
    ) async throws -> (fleet: TestFleet, port: UInt16) {
        let port = try PrivateRedis.freePort()
        let own = try await authority.issue("redis", for: ["DNS:localhost"])
        let fleet = try await TestFleet(
            configuration: authority.serving(own, port: port, demandsCertificate: true))
        return (fleet, port)
    }

    /// By rename, as certbot and cert-manager do.
    private static func exchange(_ file: String, for other: String) throws {
        let status = unsafe rename(other, file)
        try #require(status == 0)
    }

    @Test func `a Redis that cannot be trusted ends each program with 78 and what to do`() async throws {
        let (authority, other) = (try await TestAuthority(), try await TestAuthority("Another Authority"))
        let port = try PrivateRedis.freePort()
        let fleet = try await TestFleet(
            configuration: authority.serving(
                try await authority.issue("redis", for: ["IP:127.0.0.1"]), port: port))
        let options = [
            "--redis", "rediss://:s3cret@127.0.0.1:\(port)", "--redis-ca", other.certificate,
        ]
        let programs = [
            ("worker", ["--output", fleet.output]),
            ("enqueue", ["--dir", fleet.sources, "--pt", "9x9"]), ("fleet", ["status"]),
        ]
        for (program, arguments) in programs {
            let ended = try ChildProcess(BuiltProgram.path(program), arguments + options)
            #expect(await ended.wait() == .status(78), "\(program)")
            let text = ended.standardError
            #expect(
                text.contains(
                    "rediss://127.0.0.1:\(port) is not used: its certificate is from an authority that is not "
                        + "trusted: /CN=Test Authority"), "\(program): \(text)")
            #expect(text.contains("--redis-ca") && !text.contains("s3cret"), "\(program): \(text)")
        }
        let lost = try ChildProcess(
            BuiltProgram.path("worker"),
            ["--output", fleet.output, "--redis", "rediss://127.0.0.1:\(port)", "--redis-ca", "/nowhere.pem"])
        #expect(await lost.wait() == .status(78))
        #expect(lost.standardError.contains("/nowhere.pem cannot be used: No such file or directory"))
    }
}
