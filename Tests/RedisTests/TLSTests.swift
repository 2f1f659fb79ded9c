import Foundation
import Redis
import TLS
import TestSupport
import Testing

/// A real redis-server that speaks TLS, and certificates made for the test.
struct TLSTests {
    @Test func `through TLS everything works as it does without`() async throws {
        let secure = try await SecureRedis(password: "pass word", demandsCertificate: true)
        let client = secure.client(identity: try await secure.authority.issue("client", for: ["DNS:us"]))
        defer { client.close() }
        // Both directions at once, in more than one record of TLS and more than a socket's buffer.
        let word = String(repeating: "x", count: 100_000)
        let replies = try await client.pipeline((0..<200).map { _ in RedisCommand("ECHO", word) })
        #expect(replies.count == 200 && replies.allSatisfy { $0.bytes?.count == 100_000 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let reply = try await client.call(RedisCommand("ECHO", "\(number)"))
                    #expect(reply.text == "\(number)")
                }
            }
            try await group.waitForAll()
        }
        let number = try #require(client.connectionID)
        async let popped = client.call(RedisCommand("BRPOP", "q", "30", blocksFor: .seconds(30)))
        let other = secure.redis.client()
        while try await other.call(RedisCommand("CLIENT", "UNBLOCK", "\(number)")) == .integer(0) {}
        #expect(try await popped == .null)
    }

    @Test func `a server may be known by its name, and its name is told to it`() async throws {
        let secure = try await SecureRedis(names: ["DNS:localhost"])
        let client = secure.client(host: "localhost")
        #expect(try await client.call(RedisCommand("PING")) == .status("PONG"))
    }

    @Test func `a certificate for another name is refused, and its names are told`() async throws {
        let secure = try await SecureRedis(names: ["DNS:other.example", "IP:127.0.0.2", "IP:::1"])
        await secure.expectRefusal(
            .wrongName(wanted: "127.0.0.1", names: "other.example, 127.0.0.2, 0:0:0:0:0:0:0:1"))
        await secure.expectRefusal(
            .wrongName(wanted: "localhost", names: "other.example, 127.0.0.2, 0:0:0:0:0:0:0:1"),
            host: "localhost")
    }

    @Test func `a certificate of an authority that is not trusted is refused`() async throws {
        let secure = try await SecureRedis()
        let other = try await TestAuthority("Another Authority")
        await secure.expectRefusal(
            .unknownAuthority(issuer: "/CN=Test Authority"), files: TLSFiles(authorities: other.certificate))
        // Those of the system do not know it either.
        await secure.expectRefusal(.unknownAuthority(issuer: "/CN=Test Authority"), files: TLSFiles())
    }

    @Test func `an expired certificate is refused, and since when is told`() async throws {
        let secure = try await SecureRedis(days: -1)
        let error = await secure.refusal(files: secure.trusting)
        guard case .insecure(_, .expired(let moment)) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(moment.hasPrefix("20") && moment.hasSuffix("Z") && moment.utf8.count == 20, "\(moment)")
    }

    /// What is said to somebody else who sits between would be a password.
    @Test func `a server that is not trusted hears no password`() async throws {
        let secure = try await SecureRedis(names: ["DNS:other.example"], password: "secret")
        await secure.expectRefusal(.wrongName(wanted: "127.0.0.1", names: "other.example"))
        let control = secure.redis.client()
        let info = try await control.call(RedisCommand("INFO", "commandstats")).text ?? ""
        // Only the test's own clients on the Unix socket have signed in: the probe at the start, and this one.
        #expect(info.contains("cmdstat_auth:calls=2,"), "\(info)")
    }

    @Test func `a server that demands a certificate says so, also of one it does not accept`() async throws {
        let secure = try await SecureRedis(demandsCertificate: true)
        await secure.expectRefusal(.certificateWanted)
        let other = try await TestAuthority("Another Authority")
        let error = await secure.refusal(
            files: secure.trusting(with: try await other.issue("client", for: ["DNS:us"])))
        guard case .insecure(_, .certificateRefused(let reason)) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(reason.contains("unknown ca"))
    }

    @Test func `a server without TLS is told from one that is slow, by its silence or by its words`()
        async throws
    {
        let redis = try await PrivateRedis(tcp: true)
        guard case .tcp(_, let port)? = redis.tcpAddress?.endpoint else { return }
        var limits = RedisLimits()
        limits.handshake = .milliseconds(300)
        let client = RedisClient(
            RedisAddress(.tcp(host: "127.0.0.1", port: port), over: .tls(TLSFiles())), name: "t",
            limits: limits)
        let error = await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
        // A real Redis waits for the end of what it takes for a line, or says that it is none.
        switch error {
        case .silent, .insecure(_, .notSpoken): break
        default: Issue.record("got \(String(describing: error))")
        }
    }

    @Test func `a server with TLS that is spoken to plainly is recognised`() async throws {
        let secure = try await SecureRedis()
        let client = RedisClient(RedisAddress(.tcp(host: "127.0.0.1", port: secure.port)), name: "t")
        let error = await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
        #expect(error?.description.contains("rediss://") == true, "\(String(describing: error))")
    }

    @Test func `files that are written anew count for the next connection, and those of no use for none`()
        async throws
    {
        let secure = try await SecureRedis(demandsCertificate: true)
        let folder = try TemporaryFolder()
        let (first, second) = (
            try await secure.authority.issue("first", for: ["DNS:us"]),
            try await secure.authority.issue("second", for: ["DNS:us"])
        )
        let own = TLSFiles.Identity(certificate: folder.path + "/own.pem", key: folder.path + "/own.key")
        func renew(_ file: String, from source: String) throws {
            try String(contentsOfFile: source, encoding: .utf8).write(
                toFile: file, atomically: false, encoding: .utf8)
        }
        try renew(own.certificate, from: first.certificate)
        try renew(own.key, from: first.key)
        let client = secure.client(identity: TestAuthority.Pair(certificate: own.certificate, key: own.key))
        defer { client.close() }
        let control = secure.redis.client()
        func connectAnew() async throws {
            _ = try await control.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
            #expect(try await client.callWhenUp(RedisCommand("PING")) == .status("PONG"))
        }
        #expect(try await client.call(RedisCommand("PING")) == .status("PONG"))

        // Half-way the old pair goes on, as long as the server takes it.
        try renew(own.certificate, from: second.certificate)
        try await connectAnew()
        let other = try await TestAuthority("Another Authority")
        _ = try await control.call(RedisCommand("CONFIG", "SET", "tls-ca-cert-file", other.certificate))
        _ = try await control.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        let error = await secure.refusal(
            files: TLSFiles(authorities: secure.authority.certificate, identity: own))
        guard case .insecure(_, .notRenewed(.certificateRefused, let unused)) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(unused == .keyOfAnother(certificate: own.certificate, key: own.key))

        // Whole again.
        let third = try await other.issue("third", for: ["DNS:us"])
        try renew(own.certificate, from: third.certificate)
        try renew(own.key, from: third.key)
        try await connectAnew()
    }

    @Test func `the places of files are their folders, also behind links, but none that holds more`() throws {
        let folder = try TemporaryFolder()
        for name in ["kept", "links"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: false)
        }
        try "x".write(toFile: folder.path + "/kept/ca.pem", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/links/ca.pem", withDestinationPath: "../kept/ca.pem")
        let files = TLSFiles(
            authorities: folder.path + "/links/ca.pem",
            identity: .init(certificate: "/etc/own.pem", key: "relative.key"))
        #expect(files.places == [".", "/etc/own.pem", folder.path + "/kept", folder.path + "/links"])
    }

    @Test func `files that are of no use are named with the reason`() async throws {
        let authority = try await TestAuthority()
        let (one, other) = (
            try await authority.issue("one", for: ["DNS:one"]),
            try await authority.issue("other", for: ["DNS:other"])
        )
        let locked = try await authority.locked(one)
        func problem(_ files: TLSFiles) -> TLSError? {
            do throws(RedisError) {
                try RedisAddress(.tcp(host: "h", port: 1), over: .tls(files)).readFiles()
                return nil
            } catch {
                guard case .insecure(_, let problem) = error else { return nil }
                return problem
            }
        }
        func identity(_ certificate: String, _ key: String) -> TLSFiles {
            TLSFiles(
                authorities: authority.certificate, identity: .init(certificate: certificate, key: key))
        }
        #expect(problem(identity(one.certificate, one.key)) == nil)
        #expect(
            problem(TLSFiles(authorities: "/nowhere.pem"))
                == .unreadable(file: "/nowhere.pem", reason: "No such file or directory"))
        #expect(
            problem(identity(one.certificate, other.key))
                == .keyOfAnother(certificate: one.certificate, key: other.key))
        for (files, file) in [
            (TLSFiles(authorities: one.key), one.key), (identity(one.key, one.key), one.key),
            (identity(one.certificate, one.certificate), one.certificate),
            (identity(one.certificate, locked), locked),
        ] {
            guard case .unreadable(file, let reason)? = problem(files) else {
                Issue.record("\(file): \(String(describing: problem(files)))")
                continue
            }
            #expect(reason.contains("no PEM"))
        }
    }
}
