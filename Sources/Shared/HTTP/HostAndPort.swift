/// Where a server listens, as it is written: `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464`.
public struct HostAndPort: Sendable, Hashable, CustomStringConvertible {
    /// A name or a numeric address, without brackets.
    public let host: String
    /// 0, for a listener, means any that is free.
    public let port: UInt16

    public init(host: String, port: UInt16) {
        (self.host, self.port) = (host, port)
    }

    /// Nil for what is no host with a port: `9464`, `:9464`, `::1:9464`, `http://localhost:9464`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPlain = host.unicodeScalars.allSatisfy {
            $0.isASCII && $0.value > 0x20 && !"/[]@?#%".unicodeScalars.contains($0)
        }
        guard !host.isEmpty, isPlain else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
