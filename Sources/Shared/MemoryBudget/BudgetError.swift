public import Units

/// Why memory was not admitted or could not be measured.
public enum BudgetError: Error, Equatable, Sendable {
    /// More than the whole budget: it can never fit, whatever else ends.
    case exceedsBudget(required: ByteCount, budget: ByteCount)
    /// The waiting task was cancelled; nothing is held.
    case cancelled
    /// No cgroup sets a limit and `/proc/meminfo` does not say what is available: the budget has to be given.
    case noLimitFound
    /// The kernel did not tell how much memory this process has resident.
    case residentSizeUnknown
}

extension BudgetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exceedsBudget(let required, let budget):
            "needs \(required) of memory, more than the whole budget of \(budget)"
        case .cancelled: "cancelled while waiting for memory"
        case .noLimitFound: "neither a cgroup limit nor the available memory could be read"
        case .residentSizeUnknown: "the resident size of this process could not be read"
        }
    }
}
