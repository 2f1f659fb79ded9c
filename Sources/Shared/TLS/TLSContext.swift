internal import COpenSSL
internal import Glibc
internal import Synchronization

/// What all encrypted connections of a process share: whom to trust, and who we are. Immutable once made.
///
/// Files are read once, when it is made: behind a fence they need not be there any more, and a file that is
/// replaced counts from the next start on.
@safe
public final class TLSContext: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    private static let made = Mutex<[TLSFiles: TLSContext]>([:])

    /// The context of these files, which are read when it is asked for the first time.
    public static func of(_ files: TLSFiles) throws(TLSError) -> TLSContext {
        if let context = made.withLock({ $0[files] }) { return context }
        let context = try TLSContext(files)
        return made.withLock { made in
            let first = made[files] ?? context
            made[files] = first
            return first
        }
    }

    private init(_ files: TLSFiles) throws(TLSError) {
        guard let context = unsafe copenssl_client_context() else { throw .broken(OpenSSLFailure.last.text) }
        unsafe handle = context
        try trust(files.authorities)
        if let identity = files.identity { try use(identity) }
    }

    deinit { unsafe SSL_CTX_free(handle) }

    private func trust(_ authorities: String?) throws(TLSError) {
        let file = authorities ?? Self.systemAuthorities
        if authorities != nil { try Self.checkReadable(file) }
        ERR_clear_error()
        let isLoaded = unsafe SSL_CTX_load_verify_file(handle, file) == 1
        guard let authorities else {
            guard isLoaded, unsafe copenssl_authorities(handle) > 0 else { throw .noAuthorities(file: file) }
            return
        }
        guard isLoaded else {
            throw .unreadable(
                file: authorities, reason: "no PEM certificate in it (\(OpenSSLFailure.last.text))")
        }
    }

    private func use(_ identity: TLSFiles.Identity) throws(TLSError) {
        try Self.checkReadable(identity.certificate)
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate_chain_file(handle, identity.certificate) == 1 else {
            throw .unreadable(
                file: identity.certificate, reason: "no PEM certificate in it (\(OpenSSLFailure.last.text))")
        }
        try Self.checkReadable(identity.key)
        guard unsafe SSL_CTX_use_PrivateKey_file(handle, identity.key, SSL_FILETYPE_PEM) == 1 else {
            let failure = OpenSSLFailure.last
            if failure.isOfUnlikeKeys {
                throw .keyOfAnother(certificate: identity.certificate, key: identity.key)
            }
            throw .unreadable(
                file: identity.key, reason: "no PEM key without a passphrase in it (\(failure.text))")
        }
        guard unsafe SSL_CTX_check_private_key(handle) == 1 else {
            throw .keyOfAnother(certificate: identity.certificate, key: identity.key)
        }
    }

    /// OpenSSL says of a missing file only that it is missing, in three lines.
    private static func checkReadable(_ path: String) throws(TLSError) {
        guard unsafe access(path, R_OK) == 0 else {
            throw .unreadable(file: path, reason: unsafe String(cString: strerror(errno)))
        }
    }

    /// One file, read as a whole: OpenSSL's folder of authorities would be looked into at each handshake, also
    /// when a fence lies between. `SSL_CERT_FILE` names another one, as for all programs with OpenSSL.
    private static var systemAuthorities: String {
        if let named = unsafe getenv(X509_get_default_cert_file_env()) {
            return unsafe String(cString: named)
        }
        let usual = unsafe String(cString: X509_get_default_cert_file())
        return unsafe access(usual, R_OK) == 0 ? usual : "/etc/ssl/certs/ca-certificates.crt"
    }
}
