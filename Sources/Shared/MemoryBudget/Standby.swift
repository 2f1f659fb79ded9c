internal import Synchronization
internal import Units

/// A reservation whose owner sleeps until there is something to hold it for. Meanwhile it counts as held, and
/// goes to whoever waits for memory as soon as that lets them in: its owner may sleep for ever, and one of those
/// who wait may need every byte there is.
public final class Standby: Sendable {
    private let admission: MemoryAdmission
    private let ticket: UInt64
    private let isOver = Mutex(false)

    init(_ ticket: UInt64, in admission: MemoryAdmission) {
        self.ticket = ticket
        self.admission = admission
    }

    deinit {
        if !isOver.withLock(\.self) { end().release() }
    }

    /// The reservation as it was, or one of nothing when others needed it meanwhile. Traps the second time.
    public func end() -> Reservation {
        isOver.withLock { isOver in
            precondition(!isOver, "a standby ends once")
            isOver = true
        }
        return Reservation(of: admission.takeBack(ticket), from: admission)
    }
}
