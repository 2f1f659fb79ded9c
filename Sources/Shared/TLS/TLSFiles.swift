/// Files of an encrypted connection, all PEM. Nothing is read yet.
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
