public import JobQueue
public import Redis
internal import TLS

/// What a person can do about a queue that cannot be used: one sentence an error.
public struct RedisAdvice: Sendable {
    private let redis: RedisAddress
    private let queue: String
    private let permissions: String

    /// - Parameter permissions: what an access list has to allow for this program, as in `+@read +time`.
    public init(redis: RedisAddress, queue: String, permissions: String) {
        self.redis = redis
        self.queue = queue
        self.permissions = permissions
    }

    /// Nil where the error itself says it all.
    public func advice(for error: QueueError) -> String? {
        switch error {
        case .redis(.authenticationFailed):
            "give the user and the password as redis://USER:PASSWORD@HOST in REDIS_URL or --redis"
        case .redis(.forbidden):
            "allow it with: ACL SETUSER \(redis.user ?? "default") \(shellLine(keyPatterns)) \(permissions)"
        case .redis(.notServing(.loading, _)): "Redis is starting; try again when it has read its data"
        case .redis(.notServing(.readOnly, _)):
            if case .sentinel = redis.endpoint {
                "Sentinel still names a server that is a replica by now; this passes with the failover"
            } else {
                "\(redis) is a replica; name its primary with --redis"
            }
        case .redis(.insecure(_, let problem)): advice(for: problem)
        case .redis(.unknownPrimary):
            "its name is the one in the sentinels' configuration (sentinel monitor NAME …); see "
                + "redis-cli -p \(SentinelGroup.defaultPort) SENTINEL MASTERS"
        case .redis(.silent) where redis.transport != .plain:
            "is it stopped or busy, or does it not speak TLS on this port? then write redis:// instead of "
                + "rediss://, or name its tls-port"
        case .redis(.silent), .redis(.timedOut):
            "is it stopped, swapping, or busy with one long command? see "
                + "redis-cli SLOWLOG GET, its log, and the network between"
        case .redis(.server(let text)) where text.hasPrefix("ERR DB index is out of range"):
            "this Redis has fewer databases (16 unless configured otherwise): name one that it has, as in "
                + "redis://HOST:6379/0"
        case .redis(.server(let text)) where text.hasPrefix("ERR AUTH <password> called without"):
            "this Redis has no password: leave it out of the address, or name the one that has"
        case .redis(.unreachable), .redis(.connectionLost):
            "is Redis running there? start it, or name another with --redis URL or REDIS_URL"
        case .redis(.outOfMemory): "Redis is full; try again when workers have caught up"
        case .redis(.wrongType): "another program uses this key; name another queue with --queue"
        case .redis, .unexpectedAnswer, .evicts: nil
        }
    }

    /// Nil where the error itself says it all.
    private func advice(for problem: TLSError) -> String? {
        switch problem {
        case .unreadable, .keyOfAnother: "name PEM files with --redis-ca, --redis-cert and --redis-key"
        case .notRenewed(_, let unused): advice(for: unused)
        case .noAuthorities: "install ca-certificates, or name the authority's certificate with --redis-ca"
        case .expired: "renew the server's certificate, and restart Redis or CONFIG SET tls-cert-file again"
        case .notYetValid: "is a clock wrong, here or where the certificate was made?"
        case .unknownAuthority: "name the certificate of the authority that signed it with --redis-ca"
        case .wrongName:
            "name the server as its certificate does, or have one made with this name; Sentinel gives names "
                + "instead of addresses with resolve-hostnames and announce-hostnames"
        case .distrusted: nil
        case .notSpoken:
            "write redis:// instead of rediss://, or name the port where it speaks TLS (tls-port)"
        case .spokenUnasked: "write rediss:// instead of redis://, or sentinels:// instead of sentinel://"
        case .certificateWanted where !hasIdentity, .nothingInCommon where !hasIdentity:
            "if the server demands a client certificate, name ours with --redis-cert and --redis-key"
        case .certificateWanted, .certificateRefused:
            "is --redis-cert from an authority that the server trusts (tls-ca-cert-file), and not expired?"
        case .nothingInCommon: "see tls-protocols and tls-ciphers in the server's configuration"
        case .closed, .broken: nil
        }
    }

    private var hasIdentity: Bool {
        guard case .tls(let files) = redis.transport else { return false }
        return files.identity != nil
    }

    /// For an access list: the list, and all keys beside it.
    private var keyPatterns: [String] { ["~\(queue)", "~\(QueueKeys(queue: queue).pattern)"] }
}

/// Words as a shell takes them.
public func shellLine(_ words: [String]) -> String {
    words.map { word in
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "+"),
                UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: ","):
                true
            default: false
            }
        }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }.joined(separator: " ")
}
