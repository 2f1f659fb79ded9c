import Testing
import Threading

struct WatchedTests {
    @Test func `a condition that holds is not waited for`() async {
        let number = Watched(3)
        await number.wait { $0 == 3 }
        #expect(number.read { $0 } == 3)
    }

    @Test func `a change wakes those whose condition has come true and no others`() async {
        let number = Watched(0)
        let two = Task { await number.wait { $0 >= 2 } }
        let three = Task { await number.wait { $0 >= 3 } }
        number.update { $0 = 2 }
        await two.value
        number.update { $0 = 3 }
        await three.value
        #expect(number.read { $0 } == 3)
    }

    @Test func `a cancelled task stops waiting`() async {
        let number = Watched(0)
        let waiting = Task { await number.wait { $0 == 1 } }
        waiting.cancel()
        await waiting.value
        #expect(number.read { $0 } == 0)
    }

    @Test func `a thousand changes lose no wake-up`() async {
        let number = Watched(0)
        await withTaskGroup(of: Void.self) { group in
            for target in 1...1000 { group.addTask { await number.wait { $0 >= target } } }
            group.addTask { for _ in 1...1000 { number.update { $0 += 1 } } }
        }
        #expect(number.read { $0 } == 1000)
    }
}
