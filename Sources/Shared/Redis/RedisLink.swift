import Threading

/// A connection that is made when needed and made anew after it broke; for one thread at a time.
///
/// It decides when to try again and tells `RedisHealth`; it waits for nothing itself.
final class RedisLink {
    let address: RedisAddress
    let limits: RedisLimits
    private let name: String
    private let health: RedisHealth
    private let interruption: Interruption?
    private var wire: RedisWire?
    private var hasWorked = false
    private var search: PrimarySearch?
    private var failures = 0
    private var retryAt = ContinuousClock.now
    /// The last failure was one that a greeting cannot see, such as NOREPLICAS: only a call that works
    /// proves the end of it.
    private var isProvenByCallOnly = false

    init(
        _ address: RedisAddress, limits: RedisLimits, name: String, health: RedisHealth,
        interruption: Interruption? = nil
    ) {
        self.address = address
        self.limits = limits
        self.name = name
        self.health = health
        self.interruption = interruption
        if case .sentinel(let group) = address.endpoint { search = PrimarySearch(group, for: address) }
    }

    deinit { health.forget(ObjectIdentifier(self)) }

    var id: Int64? { wire?.id }

    /// How long to wait before the next attempt makes sense; zero when up or due.
    var pause: Duration { wire != nil ? .zero : max(.zero, ContinuousClock.now.duration(to: retryAt)) }

    /// Connects if there is no connection, or none that is still open.
    func open() throws(RedisError) {
        if let wire, !wire.isStale { return }
        wire = nil
        do {
            // Asked each time: nobody knows better where the primary is now.
            let server = try search?.primary(limits: limits, name: name, interruption: interruption)
            wire = try RedisWire(
                server ?? address, limits: limits, name: name, interruption: interruption)
        } catch {
            fail(with: error)
            throw error
        }
        health.noteGreeting(again: hasWorked)
        hasWorked = true
        if !isProvenByCallOnly { recover() }
    }

    /// One answer a command. Connects first if needed.
    func exchange(_ commands: [RedisCommand], within limit: Duration) throws(RedisError) -> [RedisReply] {
        try open()
        guard let wire else { throw .cancelled }
        let replies: [RedisReply]
        let asked = ContinuousClock.now
        do {
            replies = try wire.exchange(commands, within: limit)
        } catch {
            self.wire = nil
            // Redis is well; what it sends is not for us.
            if case .replyTooLong = error { throw error }
            isProvenByCallOnly = false
            fail(with: error)
            throw error
        }
        if commands.allSatisfy({ $0.blocksFor == nil }) { health.noteRoundTrip(.now - asked) }
        for case .error(let error) in replies where error.endsConnection {
            self.wire = nil
            isProvenByCallOnly = true
            fail(with: error)
            return replies
        }
        recover()
        return replies
    }

    /// The limit of one round trip with all of these commands.
    func limit(for commands: [RedisCommand]) -> Duration {
        let blocking = commands.compactMap(\.blocksFor).reduce(.zero, +)
        return blocking > .zero ? blocking + limits.blockingSlack : limits.call
    }

    private func fail(with error: RedisError) {
        failures += 1
        retryAt = .now.advanced(
            by: limits.pause(
                afterFailures: failures, isSearching: search != nil, jitter: .random(in: 0..<1)))
        health.report(ObjectIdentifier(self), failedWith: error)
    }

    private func recover() {
        failures = 0
        isProvenByCallOnly = false
        health.reportRecovery(of: ObjectIdentifier(self))
    }
}
