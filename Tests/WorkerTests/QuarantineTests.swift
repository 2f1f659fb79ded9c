import Redis
import Testing

@testable import Worker

@Suite struct QuarantineTests {
    private let start = ContinuousClock.now

    @Test func `nothing is reclaimed for two renewals after the start`() {
        let quarantine = Quarantine(atStart: .seconds(5), afterOutage: .seconds(10), now: start)
        #expect(quarantine.isOn(at: start + .seconds(4.9)))
        #expect(!quarantine.isOn(at: start + .seconds(5)))
    }

    @Test func `nothing is reclaimed from an outage's first sign to a lease after its end`() {
        let quarantine = Quarantine(atStart: .zero, afterOutage: .seconds(10), now: start)
        #expect(!quarantine.isOn(at: start))
        quarantine.note(.outageBegan(.timedOut(after: .seconds(1))))
        // However long it takes, and whichever connection is back first.
        #expect(quarantine.isOn(at: start + .seconds(3_600)))
        quarantine.note(.outageEnded(after: .seconds(20)), now: start + .seconds(20))
        #expect(quarantine.isOn(at: start + .seconds(29.9)))
        #expect(!quarantine.isOn(at: start + .seconds(30)))
    }
}
