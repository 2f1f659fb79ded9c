public import Redis
import Threading

/// Stands between programs and a Redis and breaks what passes, when and as a test says.
///
/// It forwards whole commands and whole replies, and counts commands in their order of arrival over all
/// connections. Redis' own side stays sound: a fault here is one of the network or of a machine in it.
///
/// One thread does everything, so that a command is counted, held or cut at one definite instant. Every
/// control holds for whatever arrives after the call has returned.
public final class FaultProxy: Sendable {
    /// Where clients connect instead.
    public let address: RedisAddress
    private let state = Monitor(FaultState())
    private let wake = WakeUp()
    private let thread: DedicatedThread
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - server: where commands go; its password and database are the client's business.
    ///   - tcp: listen on a loopback port; else on a Unix socket of its own.
    ///   - scripts: names by SHA-1 digest, so that `EVALSHA` counts as the script it runs.
    public init(before server: RedisAddress, tcp: Bool = false, scripts: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        let listener = try ProxyListener(tcp ? .loopback : .unix(path: folder.path + "/proxy.sock"))
        address = RedisAddress(
            listener.endpoint, user: server.user, password: server.password, database: server.database)
        let (state, wake) = (state, wake)
        thread = DedicatedThread(name: "proxy") {
            var loop = FaultProxyLoop(
                listener: listener, server: server.endpoint, names: CommandNames(scripts: scripts),
                state: state, wake: wake)
            loop.run()
        }
    }

    deinit { close() }

    /// Ends all connections and the proxy.
    public func close() {
        change { $0.isClosed = true }
        thread.join()
    }

    // MARK: faults that last

    /// Forwards nothing and closes nothing, in either direction: a network that lost its way.
    public func freeze() { change { $0.isFrozen = true } }
    /// Ends `freeze`, and lets go of what a plan holds.
    public func thaw() {
        change {
            $0.isFrozen = false
            $0.thaws += 1
        }
    }

    /// New connections are refused until `accept`; those that exist go on.
    public func refuse() { change { $0.refuses = true } }
    public func accept() { change { $0.refuses = false } }

    /// Requests reach Redis, and replies are lost, until told otherwise.
    public func swallowReplies(_ swallows: Bool = true) { change { $0.swallowsReplies = swallows } }

    /// Everything takes so much longer to arrive; order and throughput stay.
    public func delay(requests: Duration = .zero, replies: Duration = .zero) {
        change { $0.delays = (requests, replies) }
    }

    // MARK: faults at one instant

    /// Ends every connection, those that a plan holds included. What was under way is lost.
    public func cut() { change { $0.cuts += 1 } }

    /// When, in the life of one command, a plan strikes.
    public enum Moment: String, Sendable, CaseIterable {
        /// The request has arrived here and not at Redis.
        case before
        /// Redis has done it; the reply has arrived here and goes no further.
        case after
        /// Half of the reply's bytes have been passed on.
        case amid
    }

    public enum Action: Sendable {
        /// That client's connection ends.
        case cut
        /// That client's connection freezes as it is, until `thaw` or `cut`.
        case hold
    }

    /// Strikes once: at the `number`-th command from now on, over all connections, counting only those
    /// named `name` if one is given. A new plan replaces the last one.
    public func plan(_ action: Action, _ moment: Moment, command number: Int, named name: String? = nil) {
        change {
            $0.plan = FaultPlan(action: action, moment: moment, number: number, name: name)
            $0.hit = nil
        }
    }

    public struct Hit: Sendable, Equatable {
        /// As in `Seen.byName`.
        public let command: String
        /// The number of the client's connection, from 1.
        public let connection: Int
    }

    /// What the last plan struck, once it has.
    public var hit: Hit? { state.withLock(\.hit) }

    /// Waits for the plan to strike; nil when it did not within the limit.
    public func untilHit(atMost limit: Duration) async -> Hit? {
        let state = state
        return await BlockingThreads.forTests.run { state.wait(atMost: limit) { $0.hit } }
    }

    // MARK: what passed

    /// Commands that have arrived from clients, forwarded or not.
    public struct Seen: Sendable, Equatable {
        public var total = 0
        /// By name: the command's in capitals, or the script's.
        public var byName: [String: Int] = [:]
        /// By number of the client's connection.
        public var byConnection: [Int: Int] = [:]
    }

    public var seen: Seen { state.withLock(\.seen) }

    private func change(_ body: (inout FaultState) -> Void) {
        state.update(body)
        wake.up()
    }
}

/// What the proxy has been told, and what it has seen.
struct FaultState: Sendable {
    var isClosed = false
    var isFrozen = false
    var refuses = false
    var swallowsReplies = false
    var delays: (requests: Duration, replies: Duration) = (.zero, .zero)
    /// How often all connections have been cut, and held ones let go, so far.
    var cuts = 0
    var thaws = 0
    var plan: FaultPlan?
    var hit: FaultProxy.Hit?
    var seen = FaultProxy.Seen()

    /// Counts a command; the plan, if it is this one that it is for.
    mutating func count(_ command: String, from connection: Int) -> FaultPlan? {
        seen.total += 1
        seen.byName[command, default: 0] += 1
        seen.byConnection[connection, default: 0] += 1
        guard var plan, plan.name == nil || plan.name == command else { return nil }
        plan.number -= 1
        self.plan = plan.number > 0 ? plan : nil
        return plan.number > 0 ? nil : plan
    }
}

struct FaultPlan: Sendable {
    let action: FaultProxy.Action
    let moment: FaultProxy.Moment
    /// Counts down to zero.
    var number: Int
    let name: String?
}

/// What a command is called: by its first word, or by the name of the script that it runs.
struct CommandNames: Sendable {
    let scripts: [String: String]

    func name(of command: [UInt8]) -> String {
        let words = WireStream.words(of: command, atMost: 2)
        guard let first = words.first else { return "" }
        let name = String(decoding: first, as: UTF8.self).uppercased()
        switch name {
        case "EVALSHA" where words.count == 2:
            return scripts[String(decoding: words[1], as: UTF8.self)] ?? name
        case "EVAL" where words.count == 2 && !scripts.isEmpty:
            return scripts[SHA1.hexDigest(of: words[1])] ?? name
        default: return name
        }
    }
}
