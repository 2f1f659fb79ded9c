import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// All three programs through TLS, as an operator starts them.
struct SecureTransportTests {
    @Test func `a whole fleet works through TLS, and a worker comes back behind its fence`() async throws {
        let authority = try await TestAuthority()
        let port = try PrivateRedis.freePort()
        let fleet = try await TestFleet(
            configuration: authority.serving(
                try await authority.issue("redis", for: ["DNS:localhost"]), port: port,
                demandsCertificate: true))
        let own = try await authority.issue("client", for: ["DNS:us"])
        let url = "rediss://localhost:\(port)"
        let files = [
            "THUMBNAIL_REDIS_CA": authority.certificate, "THUMBNAIL_REDIS_CERT": own.certificate,
            "THUMBNAIL_REDIS_KEY": own.key,
        ]
        let worker = try fleet.worker(redis: url, environment: files)
        try await fleet.push(TestFleet.job("one"))
        #expect(try await fleet.results(1)[0].status == .done)
        // From here on the files are out of its reach; what it has read of them has to do.
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
