import Testing

@testable import Worker

struct ShutdownStateTests {
    @Test func `the first signal stops claiming and starts the deadline`() {
        var state = ShutdownState()
        #expect(state.handle(.signal) == [.stopClaiming, .startDeadline])
        #expect(state.phase == .draining)
    }

    @Test func `a lost folder begins a drain, and does not hurry one`() {
        var state = ShutdownState()
        #expect(state.handle(.folderDisplaced) == [.stopClaiming, .startDeadline])
        #expect(state.handle(.folderDisplaced).isEmpty)
        #expect(state.phase == .draining && state.hasLostFolder)
    }

    @Test func `a folder that is lost while the worker stops as told changes nothing`() {
        var state = ShutdownState()
        _ = state.handle(.signal)
        #expect(state.handle(.folderDisplaced).isEmpty)
        #expect(state.phase == .draining && !state.hasLostFolder)
    }

    @Test func `a drained worker leaves when its last job is settled`() {
        var state = ShutdownState()
        _ = state.handle(.signal)
        #expect(state.handle(.lastJobSettled) == [.leave])
        #expect(state.phase == .stopped)
    }

    @Test(arguments: [ShutdownState.Event.signal, .deadlinePassed])
    func `a second signal or the deadline gives back what runs`(event: ShutdownState.Event) {
        var state = ShutdownState()
        _ = state.handle(.signal)
        #expect(state.handle(event) == [.releaseJobs])
        #expect(state.phase == .releasing)
        #expect(state.handle(.lastJobSettled) == [.leave])
    }

    @Test func `an idle moment while running ends nothing`() {
        var state = ShutdownState()
        #expect(state.handle(.lastJobSettled).isEmpty)
        #expect(state.handle(.deadlinePassed).isEmpty)
        #expect(state.phase == .running)
    }

    @Test func `a worker whose Redis does not answer leaves all the same`() {
        var state = ShutdownState()
        _ = state.handle(.signal)
        _ = state.handle(.signal)
        #expect(state.handle(.releaseTimedOut) == [.leave])
        #expect(state.isHung)
    }

    @Test func `an empty queue ends a worker that was told to drain it`() {
        var state = ShutdownState()
        #expect(state.handle(.queueRanDry) == [.stopClaiming, .startDeadline])
        #expect(state.handle(.lastJobSettled) == [.leave])
    }

    @Test
    func `every order of events releases at most once, leaves at most once, and only after claiming stopped`()
    {
        let events: [ShutdownState.Event] = [
            .signal, .queueRanDry, .folderDisplaced, .deadlinePassed, .lastJobSettled, .releaseTimedOut,
        ]
        func walk(_ state: ShutdownState, _ seen: [ShutdownState.Action], depth: Int) {
            guard depth > 0 else { return }
            for event in events {
                var next = state
                let actions = next.handle(event)
                let all = seen + actions
                #expect(all.count { $0 == .leave } <= 1)
                #expect(all.count { $0 == .releaseJobs } <= 1)
                if all.contains(.leave) { #expect(all.first == .stopClaiming) }
                walk(next, all, depth: depth - 1)
            }
        }
        walk(ShutdownState(), [], depth: 6)
    }
}
