import Foundation
import Redis
import TLS
import TestSupport
import Testing

/// A redis-server that speaks TLS on one port, and plainly on its Unix socket, for the test to look on.
final class SecureRedis: Sendable {
    let authority: TestAuthority
    let redis: PrivateRedis
    let port: UInt16
    private let password: String?

    init(
        names: [String] = ["IP:127.0.0.1"], days: Int = 1, password: String? = nil,
        demandsCertificate: Bool = false
    ) async throws {
        authority = try await TestAuthority()
        port = try PrivateRedis.freePort()
        self.password = password
        redis = try await PrivateRedis(
            password: password,
            configuration: authority.serving(
                try await authority.issue("redis", for: names, days: days), port: port,
                demandsCertificate: demandsCertificate))
    }

    var endpoint: RedisAddress.Endpoint { .tcp(host: "127.0.0.1", port: port) }
    var trusting: TLSFiles { TLSFiles(authorities: authority.certificate) }

    func trusting(with pair: TestAuthority.Pair) -> TLSFiles {
        TLSFiles(
            authorities: authority.certificate,
            identity: TLSFiles.Identity(certificate: pair.certificate, key: pair.key))
    }

    func client(
        host: String = "127.0.0.1", port: UInt16? = nil, identity: TestAuthority.Pair? = nil,
        limits: RedisLimits = RedisLimits()
    ) -> RedisClient {
        RedisClient(
            RedisAddress(
                .tcp(host: host, port: port ?? self.port),
                over: .tls(identity.map { trusting(with: $0) } ?? trusting), password: password),
            name: "secure", limits: limits)
    }

    /// Why a client with these files gets no answer.
    func refusal(files: TLSFiles, host: String = "127.0.0.1") async -> RedisError? {
        let client = RedisClient(
            RedisAddress(.tcp(host: host, port: port), over: .tls(files), password: password), name: "t")
        defer { client.close() }
        return await #expect(throws: RedisError.self) { try await client.call(RedisCommand("PING")) }
    }

    /// - Parameter files: nil trusts the server's authority.
    func expectRefusal(
        _ problem: TLSError, files: TLSFiles? = nil, host: String = "127.0.0.1",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await refusal(files: files ?? trusting, host: host)
        #expect(
            error == .insecure(address: "rediss://\(host):\(port)", problem), sourceLocation: sourceLocation)
        #expect(error?.isOurFault == true && error?.isOutage == false, sourceLocation: sourceLocation)
    }
}
