internal import Units

/// Those who wait for memory, in the order in which they came. Entering, leaving from any place and
/// letting in the first are all of constant time on average: thousands may wait.
struct WaitingLine {
    private struct Waiter {
        let footprint: ByteCount
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var waiters: [UInt64: Waiter] = [:]
    /// Tickets in order of entrance; those that left early are skipped when they come to the front.
    private var order: [UInt64] = []
    private var front = 0
    private var lastTicket: UInt64 = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }

    /// The footprint of the one whose turn is next.
    var first: ByteCount? { isEmpty ? nil : waiters[order[front]]?.footprint }

    mutating func drawTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    mutating func enter(
        _ ticket: UInt64, _ footprint: ByteCount, _ continuation: CheckedContinuation<Bool, Never>
    ) {
        waiters[ticket] = Waiter(footprint: footprint, continuation: continuation)
        order.append(ticket)
    }

    /// Takes one out of the line from wherever it stands; nil when it stands there no longer.
    mutating func leave(_ ticket: UInt64) -> CheckedContinuation<Bool, Never>? {
        let waiter = waiters.removeValue(forKey: ticket)
        skipThoseWhoLeft()
        return waiter?.continuation
    }

    /// Takes out the first; traps when the line is empty.
    mutating func removeFirst() -> CheckedContinuation<Bool, Never> {
        guard let waiter = waiters.removeValue(forKey: order[front]) else {
            preconditionFailure("the front of the line is always someone who waits")
        }
        skipThoseWhoLeft()
        return waiter.continuation
    }

    private mutating func skipThoseWhoLeft() {
        while front < order.count, waiters[order[front]] == nil { front += 1 }
        // Half of the list is behind us: closing the gap now costs no more than was skipped.
        if front * 2 >= order.count {
            order.removeFirst(front)
            front = 0
        }
    }
}
