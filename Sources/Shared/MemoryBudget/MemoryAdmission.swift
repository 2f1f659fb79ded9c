internal import Synchronization
public import Units

/// Hands out a fixed amount of memory, first come, first served.
///
/// A small job never overtakes a large one that came before it: letting it pass would fill each gap as it
/// opens, and the large one would never start. Whoever waits holds nothing, so no two waiters can block
/// each other.
public final class MemoryAdmission: Sendable {
    /// The whole budget.
    public let total: ByteCount

    private let now: @Sendable () -> ContinuousClock.Instant
    private let onChange: @Sendable (MemoryAdmission) -> Void
    private let state: Mutex<State>

    private struct State {
        var reserved = ByteCount.zero
        var peakReserved = ByteCount.zero
        var reservedOverTime: ByteTime
        var line = WaitingLine()
        /// Parts of `reserved` that go to those who wait; see `Standby`.
        var standbys: [UInt64: ByteCount] = [:]
        var lastStandby: UInt64 = 0
        /// Those who wait until nobody waits for memory.
        var onlookers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastOnlooker: UInt64 = 0

        /// Reserves `amount` if it fits, taking what stands by where only that makes it fit.
        mutating func reserve(_ amount: ByteCount, of total: ByteCount) -> Bool {
            let standingBy = standbys.values.reduce(ByteCount.zero, +)
            guard amount <= total - reserved + standingBy else { return false }
            while amount > total - reserved, let (ticket, part) = standbys.first {
                standbys[ticket] = nil
                reserved -= part
            }
            reserved += amount
            return true
        }

        /// To be called after each change of `reserved`, so that no change is between two looks of anybody.
        mutating func noteReserved(at now: ContinuousClock.Instant) {
            peakReserved = max(peakReserved, reserved)
            reservedOverTime.change(to: reserved, at: now)
        }
    }

    /// - Parameters:
    ///   - now: the clock that `reservedByteSeconds` goes by.
    ///   - onChange: called after each change of `reserved`, by whoever made it, and before those who were let in go on.
    public init(
        total: ByteCount, now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        onChange: @escaping @Sendable (MemoryAdmission) -> Void = { _ in }
    ) {
        self.total = total
        self.now = now
        self.onChange = onChange
        state = Mutex(State(reservedOverTime: ByteTime(start: now())))
    }

    /// Waits for its turn and for room, then holds `footprint` until the reservation ends.
    ///
    /// Throws `exceedsBudget` at once when `footprint` is more than `total`, and `cancelled` when the task
    /// is cancelled while it waits.
    public func admit(_ footprint: ByteCount) async throws(BudgetError) -> Reservation {
        try await take(footprint)
        return Reservation(of: footprint, from: self)
    }

    /// Returns when nobody waits for memory, at once if nobody does, or when the task is cancelled. A
    /// claim loop stands here, so as not to take jobs from the queue that could not start.
    public func untilNobodyWaits() async {
        let ticket = state.withLock { state in
            state.lastOnlooker += 1
            return state.lastOnlooker
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    // Read under the lock: a cancellation sets the flag before it calls the handler, so
                    // either the flag is seen here or the handler finds the continuation.
                    guard !Task.isCancelled, !state.line.isEmpty else { return false }
                    state.onlookers[ticket] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.onlookers.removeValue(forKey: ticket) }?.resume()
        }
    }

    /// Lets others have the reservation while its owner sleeps.
    public func standBy(_ reservation: consuming Reservation) -> Standby {
        let amount = reservation.surrender()
        var ticket: UInt64 = 0
        update { state in
            state.lastStandby += 1
            ticket = state.lastStandby
            state.standbys[ticket] = amount
            return []
        }
        return Standby(ticket, in: self)
    }

    /// What all reservations hold now; never more than `total`.
    public var reserved: ByteCount { state.withLock { $0.reserved } }

    /// The most that was ever reserved at one time.
    public var peakReserved: ByteCount { state.withLock { $0.peakReserved } }

    /// What was reserved from the start until now, summed up over time: byte-seconds. Between two looks, the
    /// difference over the seconds and over `total` is the part of the budget that was in use.
    public var reservedByteSeconds: Double {
        state.withLock { $0.reservedOverTime.sum(at: now()) }
    }

    /// How many wait for memory now.
    public var waiting: Int { state.withLock { $0.line.count } }

    // MARK: - Taking and giving back

    func take(_ footprint: ByteCount) async throws(BudgetError) {
        guard footprint <= total else { throw .exceedsBudget(required: footprint, budget: total) }
        let ticket = state.withLock { $0.line.drawTicket() }
        let admitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Enters the line first and is let in from there: one path for those who wait and for
                // those who need not. The place in the line is that of the entrance, not of the ticket.
                update { state in
                    guard !Task.isCancelled else { return [.refuse(continuation)] }
                    state.line.enter(ticket, footprint, continuation)
                    return []
                }
            }
        } onCancel: {
            update { state in
                guard let waiter = state.line.leave(ticket) else { return [] }
                return [.refuse(waiter)]
            }
        }
        guard admitted else { throw .cancelled }
    }

    /// False, and nothing taken, when somebody waits or there is less.
    func takeAtOnce(_ amount: ByteCount) -> Bool {
        let isTaken = state.withLock { state in
            guard state.line.isEmpty, state.reserve(amount, of: total) else { return false }
            state.noteReserved(at: now())
            return true
        }
        if isTaken { onChange(self) }
        return isTaken
    }

    func giveBack(_ amount: ByteCount) {
        update { state in
            state.reserved -= amount
            return []
        }
    }

    /// What is left of a standby, firm again: all or nothing.
    func takeBack(_ ticket: UInt64) -> ByteCount {
        state.withLock { $0.standbys.removeValue(forKey: ticket) } ?? .zero
    }

    private enum Wake {
        case admit(CheckedContinuation<Bool, Never>)
        case refuse(CheckedContinuation<Bool, Never>)
        case tell(CheckedContinuation<Void, Never>)
    }

    /// Makes one change, lets in whoever fits now, in order, and wakes all concerned after the lock is
    /// given up.
    private func update(_ change: (inout State) -> [Wake]) {
        let (wakes, isOtherAmount) = state.withLock { state in
            let before = state.reserved
            var wakes = change(&state)
            while let footprint = state.line.first, state.reserve(footprint, of: total) {
                wakes.append(.admit(state.line.removeFirst()))
            }
            state.noteReserved(at: now())
            if state.line.isEmpty, !state.onlookers.isEmpty {
                wakes += state.onlookers.values.map(Wake.tell)
                state.onlookers.removeAll()
            }
            return (wakes, state.reserved != before)
        }
        if isOtherAmount { onChange(self) }
        for wake in wakes {
            switch wake {
            case .admit(let waiter): waiter.resume(returning: true)
            case .refuse(let waiter): waiter.resume(returning: false)
            case .tell(let onlooker): onlooker.resume()
            }
        }
    }
}
