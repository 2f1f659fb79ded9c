#if FAILPOINTS

    internal import Synchronization

    /// What a test asks for: `name=action`, several separated by commas, each with `:source` for the one job
    /// it is meant for and with `@n` for the n-th time only: `read=abort:poison.jpg,before-renew=kill@3`.
    struct FailpointPlan {
        enum Action: String, CaseIterable {
            /// SIGKILL, as the out-of-memory killer does it.
            case kill
            /// SIGSTOP; SIGCONT lets the worker go on.
            case stop
            /// The process traps, as a decoder with a bug does.
            case abort
            /// This step never ends; all others go on.
            case hang
        }

        private struct Order {
            let action: Action
            let subject: String?
            /// Counts down to zero.
            var times: Int
        }

        private var orders: [Failpoint: Order] = [:]

        static let armed = ArmedFailpoints()

        init() {}

        init(_ text: String) throws(FailpointError) {
            for part in text.split(separator: ",") {
                let sides = part.split(separator: "=", maxSplits: 1)
                let (order, times) = Self.divided(sides.count == 2 ? sides[1] : "", at: "@")
                let (action, subject) = Self.divided(order, at: ":")
                guard let failpoint = Failpoint(rawValue: String(sides.first ?? "")) else {
                    throw .unknownName(String(part))
                }
                guard let action = Action(rawValue: action) else { throw .unknownAction(String(part)) }
                guard let times = times == nil ? 1 : times.flatMap({ Int($0) }), times >= 1 else {
                    throw .badCount(String(part))
                }
                orders[failpoint] = Order(action: action, subject: subject, times: times)
            }
        }

        var isEmpty: Bool { orders.isEmpty }

        /// What to do at this failpoint now. Each order is followed once.
        mutating func strike(_ failpoint: Failpoint, _ subject: String?) -> Action? {
            guard var order = orders[failpoint], order.subject == nil || order.subject == subject else {
                return nil
            }
            order.times -= 1
            orders[failpoint] = order.times > 0 ? order : nil
            return order.times > 0 ? nil : order.action
        }

        private static func divided(
            _ text: some StringProtocol, at sign: Character
        ) -> (before: String, after: String?) {
            let parts = text.split(separator: sign, maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts.first ?? ""), parts.count == 2 ? String(parts[1]) : nil)
        }
    }

    /// The process's failpoints, set once at its start.
    final class ArmedFailpoints: Sendable {
        private let plan = Mutex(FailpointPlan())
        /// Read at every step: what costs nothing may stand anywhere.
        private let isArmed = Atomic(false)

        func arm(_ plan: FailpointPlan) {
            self.plan.withLock { $0 = plan }
            isArmed.store(!plan.isEmpty, ordering: .releasing)
        }

        func strike(_ failpoint: Failpoint, _ subject: String?) -> FailpointPlan.Action? {
            guard isArmed.load(ordering: .acquiring) else { return nil }
            return plan.withLock { $0.strike(failpoint, subject) }
        }
    }

#endif
