internal import COpenSSL
internal import Glibc
internal import Synchronization

/// What encrypted connections share: whom to trust, and who we are, as the files said when they were read.
@safe
final class TLSContext: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer
    private let versions: [FileVersion]

    private static let made = Mutex<[TLSFiles: TLSContext]>([:])

    /// The context of these files as they are now: they are read again when one was replaced or written, so that
    /// a certificate that was renewed needs no restart.
    ///
    /// - Returns: the context; the one before, and why, when the files can no longer be used, as between the
    ///   replacement of a certificate and that of its key.
    static func of(_ files: TLSFiles) throws(TLSError) -> (context: TLSContext, unused: TLSError?) {
        // Before they are read: what is written meanwhile counts for the next connection.
        let versions = files.paths.map(FileVersion.init)
        let last = made.withLock { $0[files] }
        if let last, last.versions == versions { return (last, nil) }
        do throws(TLSError) {
            let context = try TLSContext(files, versions)
            made.withLock { $0[files] = context }
            return (context, nil)
        } catch {
            guard let last else { throw error }
            return (last, error)
        }
    }

    private init(_ files: TLSFiles, _ versions: [FileVersion]) throws(TLSError) {
        guard let context = unsafe copenssl_client_context() else { throw .broken(OpenSSLFailure.last.text) }
        unsafe handle = context
        self.versions = versions
        try trust(files)
        if let identity = files.identity { try use(identity) }
    }

    deinit { unsafe SSL_CTX_free(handle) }

    private func trust(_ files: TLSFiles) throws(TLSError) {
        let (authorities, file) = (files.authorities, files.trusted)
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
}

/// Tells a file from the one that was at its path before.
private struct FileVersion: Equatable {
    private let numbers: [Int]

    init(_ path: String) {
        var status = stat()
        // Nothing there is a version, too.
        guard unsafe stat(path, &status) == 0 else {
            numbers = []
            return
        }
        numbers = [
            Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)), status.st_size,
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}
