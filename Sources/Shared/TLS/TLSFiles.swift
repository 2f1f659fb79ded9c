internal import COpenSSL
internal import Glibc

/// Files of an encrypted connection, all PEM. They are read when a connection is made, and again when they change.
public struct TLSFiles: Sendable, Hashable {
    /// Certificates of the authorities that may vouch for the server; nil for those that the system trusts.
    public let authorities: String?
    /// The client's own certificate with its chain, and its key; nil where the server asks for none.
    public let identity: Identity?

    public struct Identity: Sendable, Hashable {
        public let certificate: String
        public let key: String

        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    public init(authorities: String? = nil, identity: Identity? = nil) {
        self.authorities = authorities
        self.identity = identity
    }
}

extension TLSFiles {
    /// Reads the files.
    ///
    /// - Throws: what is wrong with them.
    public func check() throws(TLSError) {
        let (_, unused) = try TLSContext.of(self)
        if let unused { throw unused }
    }

    /// Where the files are looked for again when a connection is made: their folders, and those that links lead
    /// to, since renewing is replacing. Of a file right below / or in a folder there, such as /etc, only itself,
    /// since such a folder holds other things, too.
    public var places: [String] {
        var places: Set<String> = []
        for path in paths {
            var target = path
            if let real = unsafe realpath(path, nil) {
                target = unsafe String(cString: real)
                unsafe free(real)
            }
            for file in [path, target] {
                let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                let isShallow = file.hasPrefix("/") && folder.count <= 2
                places.insert(isShallow ? file : folder.isEmpty ? "." : folder.joined(separator: "/"))
            }
        }
        return places.sorted()
    }

    var paths: [String] {
        [trusted] + (identity.map { [$0.certificate, $0.key] } ?? [])
    }

    /// One file, read as a whole: OpenSSL's folder of authorities would be looked into at each handshake.
    /// `SSL_CERT_FILE` names another one, as for all programs with OpenSSL.
    var trusted: String {
        if let authorities { return authorities }
        if let named = unsafe getenv(X509_get_default_cert_file_env()) {
            return unsafe String(cString: named)
        }
        let usual = unsafe String(cString: X509_get_default_cert_file())
        return unsafe access(usual, R_OK) == 0 ? usual : "/etc/ssl/certs/ca-certificates.crt"
    }
}
