internal import COpenSSL

/// What OpenSSL noted about the last call of this thread that failed.
struct OpenSSLFailure {
    /// 0 when it noted nothing.
    let code: UInt

    /// The first that was noted: what followed from it is of no interest. Forgets all.
    static var last: OpenSSLFailure {
        let failure = OpenSSLFailure(code: ERR_get_error())
        ERR_clear_error()
        return failure
    }

    private var reason: Int32 { ERR_GET_REASON(code) }

    /// In OpenSSL's words.
    var text: String {
        guard code != 0 else { return "unknown" }
        guard let words = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }

    var isOfUnlikeKeys: Bool {
        ERR_GET_LIB(code) == ERR_LIB_X509
            && [X509_R_KEY_VALUES_MISMATCH, X509_R_KEY_TYPE_MISMATCH].contains(reason)
    }

    /// As an error of a connection.
    var asError: TLSError {
        guard ERR_GET_LIB(code) == ERR_LIB_SSL else { return .broken("TLS: \(text)") }
        switch reason {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST,
            SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_UNEXPECTED_MESSAGE, SSL_R_BAD_RECORD_TYPE:
            return .notSpoken
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .closed
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE,
            SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY:
            return .nothingInCommon(text)
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return .certificateWanted
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
            SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
            SSL_R_TLSV1_ALERT_ACCESS_DENIED, SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
            return .certificateRefused(text)
        default: return .broken("TLS: \(text)")
        }
    }
}
