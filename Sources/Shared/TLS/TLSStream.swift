internal import COpenSSL
internal import Glibc

/// An encrypted stream over a connected socket that never blocks, for one thread at a time.
///
/// Nothing here waits: each call does what it can, and tells for which of the socket's events to wait before the
/// next. After any error the stream is of no more use. The socket stays its owner's.
@safe
public final class TLSStream {
    private let session: OpaquePointer
    private let refusal: UnsafeMutablePointer<copenssl_refusal>
    private let host: String
    /// Why the session is with files as they were before.
    private let unused: TLSError?
    /// Events of `poll` to wait for before the next `send` and the next `receive`.
    public private(set) var sendEvents = POLLOUT
    public private(set) var receiveEvents = POLLIN

    /// - Parameters:
    ///   - files: read when they were not yet, or have changed.
    ///   - host: whose certificate the server has to show: its name, or its address where it has none.
    public init(_ files: TLSFiles, over socket: Int32, host: String) throws(TLSError) {
        self.host = host
        let (context, unused) = try TLSContext.of(files)
        self.unused = unused
        unsafe refusal = .allocate(capacity: 1)
        guard let made = unsafe copenssl_session(context.handle, socket, host, refusal) else {
            unsafe refusal.deallocate()
            throw .broken("no TLS session for \(host)")
        }
        unsafe session = made
    }

    deinit {
        unsafe SSL_free(session)
        unsafe refusal.deallocate()
    }

    /// Goes on with the handshake. Returns the event to wait for before the next call, or nil when it is done:
    /// then the server is the one that was meant.
    public func handshake() throws(TLSError) -> Int32? {
        let code = perform { unsafe SSL_do_handshake(session) }
        if code == 1 { return nil }
        return try pendingEvents(code)
    }

    /// Returns how many of the bytes were taken; 0 when none could be now.
    public func send(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        var count = 0
        let code = perform { unsafe SSL_write_ex(session, bytes.baseAddress, bytes.count, &count) }
        if code == 1 {
            sendEvents = POLLOUT
            return count
        }
        do throws(TLSError) {
            sendEvents = try pendingEvents(code)
        } catch {
            throw lastWords() ?? error
        }
        return 0
    }

    /// Returns how many bytes have come; 0 when none are there now. To be called again while `hasMore`.
    public func receive(into room: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int {
        var count = 0
        let code = perform { unsafe SSL_read_ex(session, room.baseAddress, room.count, &count) }
        if code == 1 {
            receiveEvents = POLLIN
            return count
        }
        receiveEvents = try pendingEvents(code)
        return 0
    }

    /// Bytes have come that no event of the socket will tell of.
    public var hasMore: Bool { unsafe SSL_pending(session) > 0 }

    /// OpenSSL's notes are the thread's, and those of another call would be taken for this one's.
    private func perform(_ call: () -> Int32) -> Int32 {
        ERR_clear_error()
        errno = 0
        return call()
    }

    private func pendingEvents(_ code: Int32) throws(TLSError) -> Int32 {
        let number = errno
        switch unsafe SSL_get_error(session, code) {
        case SSL_ERROR_WANT_READ: return POLLIN
        case SSL_ERROR_WANT_WRITE: return POLLOUT
        case SSL_ERROR_ZERO_RETURN: throw .closed
        case SSL_ERROR_SYSCALL:
            throw number == 0 ? .closed : .broken(unsafe String(cString: strerror(number)))
        default:
            let problem = refusalAsError ?? OpenSSLFailure.last.asError
            guard let unused, !problem.passes else { throw problem }
            throw .notRenewed(problem, unused: unused)
        }
    }

    /// A server that refuses our certificate says so after the handshake and closes, so that writing fails before
    /// its reason has been read.
    private func lastWords() -> TLSError? {
        var byte: UInt8 = 0
        do throws(TLSError) {
            _ = try unsafe withUnsafeMutableBytes(of: &byte) { room throws(TLSError) in
                try unsafe receive(into: room)
            }
            return nil
        } catch {
            return error.passes ? nil : error
        }
    }

    /// What is wrong with the server's certificate.
    private var refusalAsError: TLSError? {
        let code = unsafe refusal.pointee.code
        switch code {
        case X509_V_OK: return nil
        case X509_V_ERR_CERT_HAS_EXPIRED: return .expired(at: unsafe Self.text(of: &refusal.pointee.until))
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return .notYetValid(before: unsafe Self.text(of: &refusal.pointee.from))
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return .wrongName(wanted: host, names: unsafe Self.text(of: &refusal.pointee.names))
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return .unknownAuthority(issuer: unsafe Self.text(of: &refusal.pointee.issuer))
        default:
            return .distrusted(unsafe String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }

    /// Text of a C array that ends with a NUL. It comes from a stranger's certificate: controls are left out.
    private static func text<Room>(of room: inout Room) -> String {
        unsafe withUnsafeBytes(of: &room) { bytes in
            let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return String(text.filter { $0.isASCII && !$0.isNewline && $0 >= " " })
        }
    }
}
