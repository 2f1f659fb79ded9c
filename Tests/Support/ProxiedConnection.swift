import Glibc

/// One client of a `FaultProxy` and its own connection to Redis. Lives on the proxy's thread.
final class ProxiedConnection {
    /// From 1, in order of arrival.
    let number: Int
    private let client: Int32
    private let server: Int32
    private(set) var isClosed = false
    /// A plan has frozen this connection.
    private(set) var isHeld = false
    private var requests = Direction()
    private var replies = Direction()
    /// For each request that has not been answered, oldest first: what is to happen at its answer.
    private var unanswered: [Strike?] = []

    init(number: Int, client: Int32, server: Int32) {
        (self.number, self.client, self.server) = (number, client, server)
    }

    /// What to sleep for: a descriptor, and the events on it.
    var interests: [(descriptor: Int32, events: Int16)] {
        [
            (client, Int16(requests.hasEnded ? 0 : POLLIN) | Int16(replies.isBlocked ? POLLOUT : 0)),
            (server, Int16(replies.hasEnded ? 0 : POLLIN) | Int16(requests.isBlocked ? POLLOUT : 0)),
        ].filter { $0.1 != 0 }
    }

    /// When the next bytes that are delayed may go on.
    var nextDue: ContinuousClock.Instant? {
        [requests, replies].filter { !$0.isBlocked }.compactMap(\.nextDue).min()
    }

    /// Passes on what has arrived and what is due.
    func step(_ state: inout FaultState, _ ready: Set<Int32>, _ names: CommandNames) {
        if ready.contains(client), !requests.hasEnded { requests.read(from: client) }
        if ready.contains(server), !replies.hasEnded { replies.read(from: server) }
        passRequests(&state, names)
        if !isHeld { passReplies(&state) }
        guard !isClosed, !isHeld else { return }
        let bothTake = requests.write(to: server) && replies.write(to: client)
        let isOver = (requests.hasEnded && requests.isDelivered) || (replies.hasEnded && replies.isDelivered)
        if !bothTake || isOver { close() }
    }

    func letGo() { isHeld = false }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        for descriptor in [client, server] {
            // Also where a child that was just started has inherited it.
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            _ = Glibc.close(descriptor)
        }
    }

    private func passRequests(_ state: inout FaultState, _ names: CommandNames) {
        while !isClosed, !isHeld, let request = requests.next() {
            let name = names.name(of: request)
            let plan = state.count(name, from: number)
            let strike = plan.map { Strike(action: $0.action, moment: $0.moment, command: name) }
            if let strike, strike.moment == .before {
                // What came before it in the same pipeline has passed.
                _ = requests.write(to: server)
                perform(strike, &state)
            }
            unanswered.append(strike?.moment == .before ? nil : strike)
            requests.send(request, after: state.delays.requests)
        }
    }

    private func passReplies(_ state: inout FaultState) {
        while !isClosed, !isHeld, let reply = replies.next() {
            let strike = unanswered.isEmpty ? nil : unanswered.removeFirst()
            guard let strike else {
                if !state.swallowsReplies { replies.send(reply, after: state.delays.replies) }
                continue
            }
            let passed = strike.moment == .amid ? reply.count / 2 : 0
            replies.send(Array(reply.prefix(passed)), after: .zero)
            _ = replies.write(to: client)
            perform(strike, &state)
            replies.send(Array(reply.dropFirst(passed)), after: .zero)
        }
    }

    private func perform(_ strike: Strike, _ state: inout FaultState) {
        state.hit = FaultProxy.Hit(command: strike.command, connection: number)
        switch strike.action {
        case .cut: close()
        case .hold: isHeld = true
        }
    }

    /// A plan that has found its command.
    private struct Strike {
        let action: FaultProxy.Action
        let moment: FaultProxy.Moment
        let command: String
    }
}

/// What goes one way: bytes that have arrived, and whole values on their way out.
private struct Direction {
    private var arrived = WireStream()
    private var leaving: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
    /// The sender has closed its end.
    private(set) var hasEnded = false
    /// The receiver takes no more for now.
    private(set) var isBlocked = false

    var isDelivered: Bool { leaving.isEmpty }
    var nextDue: ContinuousClock.Instant? { leaving.first?.due }

    mutating func read(from descriptor: Int32) {
        guard let bytes = ProxySocket.read(descriptor) else {
            hasEnded = true
            return
        }
        arrived.append(bytes)
    }

    mutating func next() -> [UInt8]? { arrived.next() }

    mutating func send(_ value: [UInt8], after delay: Duration) {
        leaving.append((.now + delay, value[...]))
    }

    /// Writes what is due; false when the receiver is gone.
    mutating func write(to descriptor: Int32) -> Bool {
        isBlocked = false
        while let first = leaving.first, first.due <= .now {
            guard let count = ProxySocket.write(first.bytes, to: descriptor) else { return false }
            leaving[0].bytes = first.bytes.dropFirst(count)
            if !leaving[0].bytes.isEmpty {
                isBlocked = true
                return true
            }
            leaving.removeFirst()
        }
        return true
    }
}
