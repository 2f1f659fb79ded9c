import Threading

/// Finds the primary of a group by asking its sentinels, one after the other.
///
/// An answer is used once and not kept: a connection is made anew because something went wrong with the last one,
/// and then where the primary was is worth nothing.
struct PrimarySearch {
    private let group: SentinelGroup
    private let address: RedisAddress
    /// Where to begin: whoever answered last. One whose machine is gone costs a second at each attempt.
    private var first = 0

    init(_ group: SentinelGroup, for address: RedisAddress) {
        self.group = group
        self.address = address
    }

    /// The address of the server that the first sentinel to answer calls the primary. Whether it is one, that
    /// server has to say (`ROLE`): for some seconds around a failover sentinels name the old one.
    ///
    /// - Throws: what the last sentinel to be asked said, unless none of them knows the primary.
    mutating func primary(
        limits: RedisLimits, name: String, interruption: Interruption?
    ) throws(RedisError) -> RedisAddress {
        var failure: RedisError?
        for step in group.sentinels.indices {
            let index = (first + step) % group.sentinels.count
            do throws(RedisError) {
                guard
                    let found = try ask(
                        group.sentinels[index], limits: limits, name: name, interruption: interruption)
                else { continue }
                first = index
                return found
            } catch {
                failure = error
            }
        }
        throw failure ?? .unknownPrimary(address: address.description, name: group.primary)
    }

    /// Nil when this sentinel watches no primary of the name.
    private func ask(
        _ sentinel: SentinelGroup.Sentinel, limits: RedisLimits, name: String, interruption: Interruption?
    ) throws(RedisError) -> RedisAddress? {
        let place = RedisAddress(
            .tcp(host: sentinel.host, port: sentinel.port), over: address.transport, user: group.user,
            password: group.password)
        let wire = try RedisWire(place, limits: limits, name: name, interruption: interruption)
        let question = RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", group.primary)
        let answer: RedisReply
        do throws(RedisError) {
            answer = try wire.exchange([question], within: limits.handshake)[0]
        } catch {
            throw error.whileConnecting(to: place)
        }
        switch answer {
        case .null: return nil
        case .array(let parts):
            guard parts.count == 2, let host = parts[0].text, !host.isEmpty,
                let port = parts[1].text.flatMap({ UInt16($0) })
            else { throw .unexpectedReply("a primary's host and port, of the sentinel at \(place)") }
            return RedisAddress(
                .tcp(host: host, port: port), over: address.transport, user: address.user,
                password: address.password, database: address.database)
        case .error(.server):
            throw .badAddress(
                "\(sentinel.host):\(sentinel.port) is no sentinel; Sentinel has a port of its own, usually "
                    + "\(SentinelGroup.defaultPort)")
        case .error(let error): throw error
        case .bytes, .status, .integer:
            throw .unexpectedReply("a primary's host and port, of the sentinel at \(place)")
        }
    }
}
