import Threading

/// What the thread of a `RedisClient` does: keep a connection, send what waits, hand out the answers.
struct RedisClientLoop {
    let requests: Monitor<RedisRequests>
    let link: RedisLink
    let publishConnection: @Sendable (Int64) -> Void

    func run() {
        while connect() {
            let group = requests.wait { requests -> [RedisRequest]? in
                if requests.isClosing { return [] }
                let group = requests.takeGroup(bytes: link.limits.pipelineBytes)
                return group.isEmpty ? nil : group
            }
            guard let group, !group.isEmpty else { break }
            perform(group)
        }
        publishConnection(0)
        let unsent = requests.withLock { requests in
            defer { requests.waiting = [] }
            return requests.waiting
        }
        for request in unsent {
            request.continuation.resume(returning: .failure(.cancelled))
        }
    }

    /// Returns true with a connection, false when the client is being closed.
    private func connect() -> Bool {
        while true {
            let pause = link.pause
            if pause > .zero {
                let closes = requests.wait(atMost: pause) { $0.isClosing ? true : nil }
                if closes != nil { return false }
            }
            if requests.withLock(\.isClosing) { return false }
            do {
                try link.open()
                publishConnection(link.id ?? 0)
                requests.withLock { $0.outage = nil }
                return true
            } catch {
                publishConnection(0)
                let refused = requests.withLock { requests in
                    requests.outage = error
                    return requests.takeImpatient()
                }
                for request in refused { request.continuation.resume(returning: .failure(error)) }
            }
        }
    }

    private func perform(_ group: [RedisRequest]) {
        let commands = group.flatMap(\.commands)
        var again: [RedisRequest] = []
        do {
            var replies = try link.exchange(commands, within: link.limit(for: commands))[...]
            for request in group {
                let own = Array(replies.prefix(request.commands.count))
                replies = replies.dropFirst(request.commands.count)
                if request.waitsForRedis && Self.wasRefusedWhole(own) {
                    again.append(request)
                } else {
                    request.continuation.resume(returning: .success(own))
                }
            }
        } catch {
            for request in group {
                // Not connected means not sent; after that nobody knows what ran.
                if request.waitsForRedis && error.isOutage && (!error.isAmbiguous || request.mayBeReplayed) {
                    again.append(request)
                } else {
                    request.continuation.resume(returning: .failure(error))
                }
            }
        }
        for request in requests.withLock({ $0.finish(group, sendingAgain: again) }) {
            request.continuation.resume(returning: .failure(.cancelled))
        }
    }

    /// A server that cannot serve has run nothing: the call waits for one that can.
    private static func wasRefusedWhole(_ replies: [RedisReply]) -> Bool {
        replies.allSatisfy { if case .error(let error) = $0 { error.endsConnection } else { false } }
    }
}
