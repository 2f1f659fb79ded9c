public import CommandLineOptions
public import HTTP

extension OptionKind where Value == HostAndPort {
    /// An address of TCP, such as `127.0.0.1:9464`.
    public static var hostAndPort: Self {
        OptionKind(
            wanted: "a host and a port such as 127.0.0.1:9464 or [::1]:9464",
            parse: { HostAndPort($0).map { .value($0) } ?? .wrong(because: nil) }, text: { $0.description })
    }
}

extension HostAndPort {
    /// Where a worker is asked how it is, unless said otherwise.
    public static let defaultOfWorker = HostAndPort(host: "127.0.0.1", port: 9464)
}
