import Glibc

/// Two hosts on one machine: network namespaces joined by a cable that a test can pull. The kernel's own TCP
/// lies between them, which no proxy can imitate: packets vanish, and nobody is told.
public struct PulledCable: Sendable {
    public struct Failed: Error { public let command: String, output: String }

    /// The namespaces by name, and the address of the first one's end.
    public let server: String
    public let client: String
    public static let serverAddress = "10.211.55.1"
    private static let clientAddress = "10.211.55.2"

    /// Root and iproute2 may do this in most containers; elsewhere tests say that they were left out.
    public static func isPossible() async -> Bool {
        let probe = "cable-probe-\(getpid())"
        do {
            try await ip("netns", "add", probe)
            try await ip("netns", "exec", probe, "true")
            try await ip("netns", "del", probe)
            return true
        } catch {
            return false
        }
    }

    /// Lays the cable, and takes everything away again afterwards.
    public static func joined(_ body: (PulledCable) async throws -> Void) async throws {
        let cable = PulledCable(server: "cable-s-\(getpid())", client: "cable-c-\(getpid())")
        let outcome: Result<Void, any Error>
        do {
            try await cable.lay()
            try await body(cable)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        // Whoever is still inside keeps a namespace alive without its name.
        for name in [cable.server, cable.client] { try await ip("netns", "del", name) }
        try outcome.get()
    }

    /// Words before a command that is to run on a host.
    public static func on(_ host: String) -> [String] { ["ip", "netns", "exec", host] }

    /// Packets vanish, both ways.
    public func pull() async throws { try await Self.ip("-n", server, "link", "set", "cable", "down") }

    public func plug() async throws { try await Self.ip("-n", server, "link", "set", "cable", "up") }

    private func lay() async throws {
        for name in [server, client] { try await Self.ip("netns", "add", name) }
        try await Self.ip(
            "link", "add", "cable", "netns", server, "type", "veth", "peer", "name", "cable", "netns", client)
        for (name, address) in [(server, Self.serverAddress), (client, Self.clientAddress)] {
            try await Self.ip("-n", name, "address", "add", address + "/24", "dev", "cable")
            for link in ["lo", "cable"] { try await Self.ip("-n", name, "link", "set", link, "up") }
        }
    }

    private static func ip(_ words: String...) async throws {
        let command = try ChildProcess("ip", words)
        let exit = await command.wait(atMost: .seconds(10))
        guard exit == .status(0) else {
            throw Failed(command: words.joined(separator: " "), output: command.standardError)
        }
    }
}
