import MemoryBudget
import Synchronization
import Testing
import Units

/// How much of the budget was in use over a time, by a clock that the test moves.
struct ByteTimeTests {
    @Test func `what was reserved counts for as long as it was, also what no look has seen`() async throws {
        let clock = TestClock()
        let admission = MemoryAdmission(total: ByteCount(100)) { clock.now }
        #expect(admission.reservedByteSeconds == 0)
        let long = try await admission.admit(ByteCount(40))
        clock.advance(by: .seconds(2))
        let short = try await admission.admit(ByteCount(60))
        clock.advance(by: .milliseconds(500))
        short.release()
        clock.advance(by: .seconds(1))
        #expect(admission.reservedByteSeconds == 40 * 3.5 + 60 * 0.5)
        long.release()
        clock.advance(by: .seconds(1000))
        #expect(admission.reservedByteSeconds == 40 * 3.5 + 60 * 0.5)
    }

    @Test func `every way to change a reservation counts`() async throws {
        let clock = TestClock()
        let admission = MemoryAdmission(total: ByteCount(100)) { clock.now }
        var reservation = try await admission.admit(ByteCount(10))
        clock.advance(by: .seconds(1))
        try await reservation.exchange(for: ByteCount(30))
        clock.advance(by: .seconds(1))
        let isExtended = reservation.extend(to: ByteCount(50))
        #expect(isExtended)
        clock.advance(by: .seconds(1))
        reservation.shrink(to: ByteCount(5))
        clock.advance(by: .seconds(2))
        #expect(admission.reservedByteSeconds == 10 + 30 + 50 + 5 * 2)
        reservation.release()
    }
}

/// A clock that stands still unless it is moved.
private final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(by length: Duration) { time.withLock { $0 += length } }
}
