/// Why there is no encrypted connection.
public enum TLSError: Error, Sendable, Equatable {
    // MARK: our files

    /// A file is not there, may not be read, or is no PEM of its kind; `reason` is the kernel's or OpenSSL's.
    case unreadable(file: String, reason: String)
    /// The system trusts no authority, as far as this file says.
    case noAuthorities(file: String)
    /// The key is another one's.
    case keyOfAnother(certificate: String, key: String)

    /// There is no connection with the files as they were, and as they are now they cannot be used.
    indirect case notRenewed(TLSError, unused: TLSError)

    // MARK: the server's certificate

    case expired(at: String)
    case notYetValid(before: String)
    /// No authority that we trust vouches for it.
    case unknownAuthority(issuer: String)
    /// It is valid for `names`, comma-separated, and `wanted` is not among them.
    case wrongName(wanted: String, names: String)
    /// Anything else that is wrong with it, in OpenSSL's words.
    case distrusted(String)

    // MARK: what the server says

    /// It does not speak TLS at all.
    case notSpoken
    /// It speaks TLS, and we did not.
    case spokenUnasked
    /// It demands a client's certificate, and has got none.
    case certificateWanted
    /// It does not accept ours, in the words of TLS.
    case certificateRefused(String)
    /// The two have no protocol or no cipher in common, in OpenSSL's words.
    case nothingInCommon(String)

    // MARK: the connection

    case closed
    /// In the kernel's or in OpenSSL's words.
    case broken(String)

    /// It passes by itself, as a network's trouble does; all the others are somebody's to mend.
    public var passes: Bool {
        switch self {
        case .closed, .broken: true
        case .unreadable, .noAuthorities, .keyOfAnother, .notRenewed, .expired, .notYetValid,
            .unknownAuthority,
            .wrongName, .distrusted, .notSpoken, .spokenUnasked, .certificateWanted, .certificateRefused,
            .nothingInCommon:
            false
        }
    }
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file) cannot be used: \(reason)"
        case .noAuthorities(let file): "this system trusts no certificate authority: \(file) has none"
        case .keyOfAnother(let certificate, let key): "the key in \(key) does not belong to \(certificate)"
        case .notRenewed(let problem, let unused):
            "\(problem); the files that were renewed are not used: \(unused)"
        case .expired(let moment): "its certificate, or that of its authority, expired at \(moment)"
        case .notYetValid(let moment): "its certificate is not valid before \(moment)"
        case .unknownAuthority(let issuer):
            "its certificate is from an authority that is not trusted: \(issuer)"
        case .wrongName(let wanted, let names):
            "its certificate is not for \(wanted), but for " + (names.isEmpty ? "nobody" : names)
        case .distrusted(let reason): "its certificate is not trusted: \(reason)"
        case .notSpoken: "it does not speak TLS"
        case .spokenUnasked: "it speaks TLS only"
        case .certificateWanted: "it demands a client certificate"
        case .certificateRefused(let reason): "it refuses the client certificate: \(reason)"
        case .nothingInCommon(let reason): "TLS 1.2 or later could not be agreed on: \(reason)"
        case .closed: "Server closed the connection"
        case .broken(let reason): reason
        }
    }
}
