/// A certificate authority of one test, made by the program `openssl`. Its files go away with the object.
public final class TestAuthority: Sendable {
    public struct CannotMake: Error { public let output: String }

    /// A certificate and its key, as paths of PEM files.
    public struct Pair: Sendable {
        public let certificate: String
        public let key: String

        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    private let folder: TemporaryFolder
    private let own: Pair
    /// What whoever trusts this authority is given: the path of a PEM file.
    public var certificate: String { own.certificate }

    public init(_ name: String = "Test Authority") async throws {
        folder = try TemporaryFolder()
        own = Pair(certificate: folder.path + "/ca.pem", key: folder.path + "/ca.key")
        try await Self.openssl(
            ["req", "-x509"] + Self.newKey(own.key)
                + ["-subj", "/CN=\(name)", "-days", "2", "-out", own.certificate])
    }

    /// A certificate for these names, each as OpenSSL writes it: `DNS:localhost` or `IP:127.0.0.1`.
    ///
    /// - Parameter days: how long from now it is valid; below zero it is expired.
    public func issue(_ name: String, for names: [String], days: Int = 1) async throws -> Pair {
        let base = folder.path + "/" + name
        let pair = Pair(certificate: base + ".pem", key: base + ".key")
        try await Self.openssl(
            ["req"] + Self.newKey(pair.key) + ["-subj", "/CN=\(name)", "-out", base + ".csr"])
        try writeFile("subjectAltName=" + names.joined(separator: ",") + "\n", to: base + ".ext")
        try await Self.openssl([
            "x509", "-req", "-in", base + ".csr", "-CA", own.certificate, "-CAkey", own.key, "-days",
            "\(days)", "-extfile", base + ".ext", "-out", pair.certificate,
        ])
        return pair
    }

    /// What it takes a redis-server to speak TLS on a port with such a certificate, as words of its command line.
    /// It trusts clients of this authority, and wants to see a certificate only if it is told to.
    public func serving(_ pair: Pair, port: UInt16, demandsCertificate: Bool = false) -> [String] {
        [
            "--tls-port", "\(port)", "--tls-cert-file", pair.certificate, "--tls-key-file", pair.key,
            "--tls-ca-cert-file", certificate, "--tls-auth-clients", demandsCertificate ? "yes" : "no",
        ]
    }

    /// The same key behind a passphrase.
    public func locked(_ pair: Pair) async throws -> String {
        let path = pair.key + ".locked"
        try await Self.openssl(["ec", "-in", pair.key, "-aes256", "-passout", "pass:secret", "-out", path])
        return path
    }

    /// Curves are quick to make; RSA keys take seconds of a busy machine.
    private static func newKey(_ path: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path]
    }

    private static func openssl(_ words: [String]) async throws {
        let program = try ChildProcess("openssl", words)
        guard await program.wait() == .status(0) else {
            throw CannotMake(output: program.standardError)
        }
    }
}
