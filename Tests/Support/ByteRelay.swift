import Glibc
public import Redis
import Threading

/// Stands between a program and a server and passes on bytes that it does not understand, at the pace that a test
/// sets: for connections that are encrypted, of which `FaultProxy` cannot tell the commands.
public final class ByteRelay: Sendable {
    private struct State: Sendable {
        var isClosed = false
        /// Bytes of the server that may still pass; nil for any number.
        var allowance: Int?
        /// How many more pass at each tick of 10 ms; nil for all.
        var drip: Int?
        var cuts = 0
        var accepted = 0
    }

    public let port: UInt16
    private let state = Monitor(State())
    private let thread: DedicatedThread

    public init(before server: RedisAddress.Endpoint) throws {
        let listener = try ProxyListener(.loopback)
        guard case .tcp(_, let port) = listener.endpoint else {
            preconditionFailure("a listener on loopback has a port")
        }
        self.port = port
        let state = state
        thread = DedicatedThread(name: "relay") { Self.run(listener, server, state) }
    }

    deinit { close() }

    /// Ends all connections and the relay.
    public func close() {
        state.update { $0.isClosed = true }
        thread.join()
    }

    /// From now on so many bytes of the server's pass at each hundredth of a second; nil ends it.
    public func drip(_ bytes: Int?) { state.update { $0.drip = bytes } }

    /// Passes so many more bytes of the server's, and then no more; nil ends it.
    public func allow(_ bytes: Int?) { state.update { $0.allowance = bytes } }

    /// Ends all connections.
    public func cut() { state.update { $0.cuts += 1 } }

    /// How many connections there were.
    public var accepted: Int { state.withLock { $0.accepted } }

    private struct Lane {
        let client: Int32
        let server: Int32
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        var hasEnded = false
    }

    private static func run(
        _ listener: ProxyListener, _ server: RedisAddress.Endpoint, _ state: Monitor<State>
    ) {
        var listener = listener
        var lanes: [Lane] = []
        var cuts = 0
        func end(_ lane: Lane) {
            for descriptor in [lane.client, lane.server] {
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
                _ = Glibc.close(descriptor)
            }
        }
        while true {
            var entries = [pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)]
            for lane in lanes {
                entries.append(pollfd(fd: lane.client, events: Int16(POLLIN), revents: 0))
                entries.append(pollfd(fd: lane.server, events: Int16(POLLIN), revents: 0))
            }
            // The pace is the tick's: what is held back waits for no event.
            _ = unsafe poll(&entries, nfds_t(entries.count), 10)
            if state.withLock({ $0.isClosed }) { break }
            if state.withLock({ $0.cuts }) != cuts {
                cuts = state.withLock { $0.cuts }
                for lane in lanes { end(lane) }
                lanes = []
                continue
            }
            for index in lanes.indices { pass(&lanes[index], state) }
            for lane in lanes where lane.hasEnded { end(lane) }
            lanes.removeAll(where: \.hasEnded)
            let waiting = entries[0].revents != 0 ? accept(listener.descriptor, nil, nil) : -1
            guard waiting >= 0 else { continue }
            _ = fcntl(waiting, F_SETFL, fcntl(waiting, F_GETFL) | O_NONBLOCK)
            lanes.append(Lane(client: waiting, server: ProxySocket.connected(to: server)))
            state.update { $0.accepted += 1 }
        }
        for lane in lanes { end(lane) }
        listener.end()
    }

    private static func pass(_ lane: inout Lane, _ state: Monitor<State>) {
        if let bytes = ProxySocket.read(lane.client) { lane.toServer += bytes } else { lane.hasEnded = true }
        if let bytes = ProxySocket.read(lane.server) { lane.toClient += bytes } else { lane.hasEnded = true }
        let count = state.withLock { state in
            let most = min(lane.toClient.count, state.drip ?? .max, state.allowance ?? .max)
            state.allowance = state.allowance.map { $0 - most }
            return most
        }
        guard let sent = ProxySocket.write(lane.toServer[...], to: lane.server),
            let passed = ProxySocket.write(lane.toClient.prefix(count), to: lane.client)
        else {
            lane.hasEnded = true
            return
        }
        lane.toServer.removeFirst(sent)
        lane.toClient.removeFirst(passed)
    }
}
