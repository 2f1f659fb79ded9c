import Synchronization
import Testing

@testable import Worker

/// When a claim loop counts as stuck, with the clock handed in.
struct ClaimProgressTests {
    @Test func `a loop grows old while it moves no further, and is young again with each step`() {
        let progress = ClaimProgress()
        func age(_ seconds: Int) -> Duration {
            progress.age(at: .now + .seconds(seconds)) { _ in false }
        }
        #expect(age(31) > .seconds(30) && age(20) < .seconds(30))
        for step in [ClaimProgress.Step.heldBack, .unclaimable, .attempting] {
            progress.begin(step)
            #expect(age(0) < .seconds(1) && age(31) > .seconds(30), "\(step)")
        }
        progress.noteAttempt()
        #expect(age(0) < .seconds(1))
    }

    @Test func `what is excused has no age, and begins to grow old when the excuse was last seen`() {
        let progress = ClaimProgress()
        progress.begin(.heldBack)
        let later = ContinuousClock.now + .seconds(500)
        #expect(progress.age(at: later) { $0 == .heldBack } == .zero)
        #expect(progress.age(at: later + .seconds(2)) { _ in false } == .seconds(2))
        #expect(progress.age(at: later + .seconds(40)) { _ in false } == .seconds(40))
        #expect(progress.age(at: later + .seconds(40)) { $0 == .attempting } == .seconds(40))
    }

    @Test func `an excuse that ends unseen can be told of`() {
        let progress = ClaimProgress()
        let before = ContinuousClock.now
        progress.excuse()
        #expect(progress.age(at: before + .seconds(20)) { _ in false } <= .seconds(20))
    }

    @Test func `the first answer is told once, and steps are no answers`() {
        let told = Mutex(0)
        let progress = ClaimProgress { told.withLock { $0 += 1 } }
        progress.begin(.heldBack)
        progress.begin(.attempting)
        #expect(told.withLock { $0 } == 0 && !progress.hasClaimed)
        for _ in 0..<3 { progress.noteAttempt() }
        #expect(told.withLock { $0 } == 1 && progress.hasClaimed)
    }
}
