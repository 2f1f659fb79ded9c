import Synchronization
import Threading

/// One connection to Redis for any number of tasks, on a thread of its own that reconnects for ever.
///
/// Calls that come together leave together, as one pipeline. A blocking command travels alone and holds
/// back whatever comes after it: give blocking pops a client of their own.
public final class RedisClient: Sendable {
    public let address: RedisAddress
    private let requests = Monitor(RedisRequests())
    private let interruption = Interruption()
    private let connectionNumber = Atomic<Int64>(0)
    private let thread: Mutex<DedicatedThread?>

    /// Starts connecting at once. `name` shows in CLIENT LIST; no spaces.
    public init(
        _ address: RedisAddress, name: String, limits: RedisLimits = RedisLimits(),
        health: RedisHealth = RedisHealth()
    ) {
        self.address = address
        thread = Mutex(nil)
        let (requests, interruption) = (requests, interruption)
        let publish: @Sendable (Int64) -> Void = { [weak self] in
            self?.connectionNumber.store($0, ordering: .releasing)
        }
        let started = DedicatedThread(name: "redis") {
            let link = RedisLink(
                address, limits: limits, name: name, health: health, interruption: interruption)
            RedisClientLoop(requests: requests, link: link, publishConnection: publish).run()
        }
        thread.withLock { $0 = started }
    }

    deinit { close() }

    /// The server's number for the present connection, for `CLIENT UNBLOCK`; nil while there is none.
    public var connectionID: Int64? {
        let number = connectionNumber.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Ends the thread and the connection; calls under way end as lost, waiting ones as cancelled.
    public func close() {
        requests.update { $0.isClosing = true }
        interruption.raise()
    }

    /// One command, one attempt: throws at once while Redis is known to be away.
    public func call(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        try await Self.single(send([command], waitsForRedis: false))
    }

    /// One command that waits out an outage. It is sent again after an outage if it did not run, or if
    /// it may be replayed; else an ambiguous failure is thrown. Cancelling the task ends the wait while
    /// the command is not under way.
    public func callWhenUp(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        try await Self.single(send([command], waitsForRedis: true))
    }

    /// Several commands in one round trip; error replies are among the answers.
    public func pipeline(
        _ commands: [RedisCommand], waitsForRedis: Bool = false
    ) async throws(RedisError) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        return try await send(commands, waitsForRedis: waitsForRedis)
    }

    /// Runs a script, sending its source if the server does not know it.
    public func run(
        _ script: RedisScript, keys: [String], arguments: [[UInt8]], mayBeReplayed: Bool,
        waitsForRedis: Bool = false
    ) async throws(RedisError) -> RedisReply {
        let byDigest = script.command(keys: keys, arguments: arguments, mayBeReplayed: mayBeReplayed)
        do {
            return try await Self.single(send([byDigest], waitsForRedis: waitsForRedis))
        } catch .noScript {
            let bySource = script.command(
                keys: keys, arguments: arguments, mayBeReplayed: mayBeReplayed, withSource: true)
            return try await Self.single(send([bySource], waitsForRedis: waitsForRedis))
        }
    }

    private static func single(_ replies: [RedisReply]) throws(RedisError) -> RedisReply {
        guard case .error(let error) = replies[0] else { return replies[0] }
        throw error
    }

    private func send(
        _ commands: [RedisCommand], waitsForRedis: Bool
    ) async throws(RedisError) -> [RedisReply] {
        let id = requests.withLock { $0.newID() }
        let outcome: Result<[RedisReply], RedisError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let refusal = requests.update { requests -> RedisError? in
                    if requests.isClosing || (waitsForRedis && Task.isCancelled) { return .cancelled }
                    if !waitsForRedis, let outage = requests.outage { return outage }
                    requests.waiting.append(
                        RedisRequest(
                            id: id, commands: commands, waitsForRedis: waitsForRedis,
                            continuation: continuation))
                    return nil
                }
                if let refusal { continuation.resume(returning: .failure(refusal)) }
            }
        } onCancel: {
            requests.withLock { $0.cancel(id) }?.continuation.resume(returning: .failure(.cancelled))
        }
        return try outcome.get()
    }
}
