import Glibc
import Redis
import Threading

/// What the thread of a `FaultProxy` does: sleep until something arrives, is due or is asked for, and pass
/// on what may pass.
struct FaultProxyLoop {
    var listener: ProxyListener
    let server: RedisAddress.Endpoint
    let names: CommandNames
    let state: Monitor<FaultState>
    let wake: WakeUp
    private var connections: [ProxiedConnection] = []
    private var lastNumber = 0
    private var cuts = 0
    private var thaws = 0

    init(
        listener: ProxyListener, server: RedisAddress.Endpoint, names: CommandNames,
        state: Monitor<FaultState>, wake: WakeUp
    ) {
        (self.listener, self.server, self.names) = (listener, server, names)
        (self.state, self.wake) = (state, wake)
    }

    /// Runs until the proxy is closed.
    mutating func run() {
        var isOpen = true
        while isOpen {
            let ready = sleep()
            wake.clear()
            // Under the lock, so that nothing passes any more once a control has returned.
            isOpen = state.update { state in step(&state, ready) }
        }
        for connection in connections { connection.close() }
        listener.end()
    }

    /// The descriptors that are ready.
    private func sleep() -> Set<Int32> {
        let isFrozen = state.withLock(\.isFrozen)
        var entries = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
        var due: ContinuousClock.Instant?
        if !isFrozen {
            entries.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
            for connection in connections where !connection.isHeld {
                for (descriptor, events) in connection.interests {
                    entries.append(pollfd(fd: descriptor, events: events, revents: 0))
                }
                due = [due, connection.nextDue].compactMap(\.self).min()
            }
        }
        let left = due.map { max(ContinuousClock.now.duration(to: $0), .zero) / .milliseconds(1) }
        _ = unsafe poll(&entries, nfds_t(entries.count), left.map { Int32($0.rounded(.up)) } ?? -1)
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }

    /// False when the proxy is closed.
    private mutating func step(_ state: inout FaultState, _ ready: Set<Int32>) -> Bool {
        if state.isClosed { return false }
        if state.cuts > cuts { connections.forEach { $0.close() } }
        if state.thaws > thaws { connections.forEach { $0.letGo() } }
        (cuts, thaws) = (state.cuts, state.thaws)
        setListening(!state.refuses)
        if !state.isFrozen {
            if ready.contains(listener.descriptor) { acceptOne() }
            for connection in connections where !connection.isHeld {
                connection.step(&state, ready, names)
            }
        }
        connections.removeAll(where: \.isClosed)
        return true
    }

    private mutating func setListening(_ listens: Bool) {
        guard listens else { return listener.close() }
        do { try listener.open() } catch { preconditionFailure("the proxy's place was taken: \(error)") }
    }

    private mutating func acceptOne() {
        let client = ProxySocket.accept(on: listener.descriptor)
        guard client >= 0 else { return }
        let server = ProxySocket.connected(to: server)
        guard server >= 0 else {
            _ = Glibc.close(client)
            return
        }
        lastNumber += 1
        connections.append(ProxiedConnection(number: lastNumber, client: client, server: server))
    }
}
