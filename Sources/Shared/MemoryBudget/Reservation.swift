internal import Synchronization
public import Units

/// A part of the memory budget, held by exactly one owner and given back when that owner is done with it:
/// on every path, by `deinit`. It cannot be copied, so it cannot be given back twice.
///
/// ```swift
/// var reservation = try await admission.admit(.kibibytes(128))
/// …
/// try await reservation.exchange(for: footprint)
/// ```
public struct Reservation: ~Copyable, Sendable {
    /// What is held now.
    public private(set) var footprint: ByteCount
    private let admission: MemoryAdmission

    init(of footprint: ByteCount, from admission: MemoryAdmission) {
        self.footprint = footprint
        self.admission = admission
    }

    deinit {
        admission.giveBack(footprint)
    }

    /// Gives everything back now.
    public consuming func release() {}

    /// Gives everything back, then waits in line like a newcomer for `footprint`: while it waits it holds
    /// nothing. On every error it holds nothing any more.
    public mutating func exchange(for footprint: ByteCount) async throws(BudgetError) {
        admission.giveBack(self.footprint)
        self.footprint = .zero
        try await admission.take(footprint)
        self.footprint = footprint
    }

    /// Takes what is missing to `footprint` if it is there and nobody waits for memory; else it still holds what
    /// it held, and the answer is false.
    public mutating func extend(to footprint: ByteCount) -> Bool {
        guard footprint >= self.footprint, admission.takeAtOnce(footprint - self.footprint) else {
            return false
        }
        self.footprint = footprint
        return true
    }

    /// What was held, from now on held under another name.
    mutating func surrender() -> ByteCount {
        defer { footprint = .zero }
        return footprint
    }

    /// Gives back all above `rest` at once, without waiting. Traps when less than `rest` is held.
    public mutating func shrink(to rest: ByteCount) {
        let surplus = footprint - rest
        footprint = rest
        admission.giveBack(surplus)
    }
}

/// Carries a reservation into the closure of another task, which a non-copyable value cannot enter by
/// itself. What nobody takes is given back when the hand-over goes.
public final class ReservationHandover: Sendable {
    private let content: Mutex<Reservation?>

    public init(_ reservation: consuming sending Reservation) {
        content = Mutex(reservation)
    }

    /// The reservation, for its new owner. Traps the second time.
    public func take() -> Reservation {
        guard let reservation = content.withLock({ $0.take() }) else {
            preconditionFailure("a reservation is handed over once")
        }
        return reservation
    }
}
