import MemoryBudget
import Synchronization
import Testing
import Units

@Test func `what fits is admitted at once and given back when its owner goes`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    do {
        let reservation = try await admission.admit(ByteCount(60))
        #expect(reservation.footprint == ByteCount(60))
        #expect(admission.reserved == ByteCount(60))
        _ = consume reservation
    }
    #expect(admission.reserved == .zero)
    #expect(admission.peakReserved == ByteCount(60))
}

@Test func `a reservation is held until it is released`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let reservation = try await admission.admit(ByteCount(100))
    #expect(admission.reserved == ByteCount(100))
    reservation.release()
    #expect(admission.reserved == .zero)
}

@Test func `a reservation is extended where there is room and nobody waits`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    var reservation = try await admission.admit(ByteCount(20))
    let intoTheRest = reservation.extend(to: ByteCount(100))
    #expect(intoTheRest && admission.reserved == ByteCount(100) && admission.peakReserved == ByteCount(100))
    reservation.shrink(to: ByteCount(20))
    let beyondTheBudget = reservation.extend(to: ByteCount(101))
    let toLess = reservation.extend(to: ByteCount(19))
    #expect(!beyondTheBudget && !toLess && admission.reserved == ByteCount(20))
    let waiter = Task { try await admission.admit(ByteCount(90)).release() }
    await until { admission.waiting == 1 }
    let beforeOneWhoWaits = reservation.extend(to: ByteCount(21))
    #expect(!beforeOneWhoWaits && admission.reserved == ByteCount(20))
    reservation.release()
    try await waiter.value
    #expect(admission.reserved == .zero)
}

@Test func `each change of what is reserved is told before those who were let in go on`() async throws {
    let told = Mutex<[Int64]>([])
    let admission = MemoryAdmission(
        total: ByteCount(100),
        onChange: { admission in told.withLock { $0.append(admission.reserved.bytes) } })
    var first = try await admission.admit(ByteCount(60))
    #expect(told.withLock(\.self) == [60])
    let isExtended = first.extend(to: ByteCount(70))
    #expect(isExtended && told.withLock(\.self) == [60, 70])
    let isRefused = !first.extend(to: ByteCount(101))
    first.shrink(to: ByteCount(50))
    let waiter = Task {
        let second = try await admission.admit(ByteCount(80))
        let seen = told.withLock { $0.last }
        second.release()
        return seen
    }
    await until { admission.waiting == 1 }
    // Nothing changed: one was refused, one waits.
    #expect(isRefused && told.withLock(\.self) == [60, 70, 50])
    first.release()
    #expect(try await waiter.value == 80)
    #expect(told.withLock(\.self) == [60, 70, 50, 80, 0])
}

@Test func `a thrown error gives the memory back`() async throws {
    struct Failure: Error {}
    let admission = MemoryAdmission(total: ByteCount(100))
    func fail() async throws {
        let reservation = try await admission.admit(ByteCount(70))
        #expect(admission.reserved == reservation.footprint)
        throw Failure()
    }
    await #expect(throws: Failure.self) { try await fail() }
    #expect(admission.reserved == .zero)
}

@Test func `what can never fit is refused at once, even behind others who wait`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let all = try await admission.admit(ByteCount(100))
    let waiter = Task { try await admission.admit(ByteCount(1)).release() }
    await until { admission.waiting == 1 }
    await #expect(throws: BudgetError.exceedsBudget(required: ByteCount(101), budget: ByteCount(100))) {
        try await admission.admit(ByteCount(101)).release()
    }
    all.release()
    try await waiter.value
}

@Test func `the whole budget can be reserved, and nothing can be reserved in its turn`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let all = try await admission.admit(ByteCount(100))
    let nothing = try await admission.admit(.zero)
    #expect(admission.reserved == ByteCount(100))
    nothing.release()
    all.release()
}

@Test func `a large one among thousands of small ones starts in its turn`() async throws {
    let admission = MemoryAdmission(total: ByteCount(1_000))
    let started = Shared<[Int]>([])
    let blocker = ReservationHandover(try await admission.admit(ByteCount(1_000)))
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<3_000 {
            group.addTask {
                let footprint = ByteCount(number == 1_500 ? 900 : 7)
                let reservation = try await admission.admit(footprint)
                started.value.withLock { $0.append(number) }
                await Task.yield()
                reservation.release()
            }
            await until { admission.waiting == number + 1 }
        }
        blocker.take().release()
        try await group.waitForAll()
    }
    // Those admitted together run in any order, so a few neighbours may note themselves first; the small
    // ones behind the large one cannot run before it is admitted.
    let order = started.value.withLock { $0 }
    let place = try #require(order.firstIndex(of: 1_500))
    #expect((1_500 - 150...1_500 + 150).contains(place))
    #expect(admission.reserved == .zero)
}

@Test func `a small one does not overtake a large one that waits`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let half = try await admission.admit(ByteCount(50))
    let large = Task { try await admission.admit(ByteCount(80)).release() }
    await until { admission.waiting == 1 }
    let small = Task { try await admission.admit(ByteCount(1)).release() }
    await until { admission.waiting == 2 }
    #expect(admission.reserved == ByteCount(50))
    half.release()
    try await large.value
    try await small.value
    #expect(admission.reserved == .zero)
}

@Test func `a cancelled waiter leaves the line and lets the next one in`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let half = try await admission.admit(ByteCount(50))
    let large = Task { try await admission.admit(ByteCount(80)).release() }
    await until { admission.waiting == 1 }
    let small = Task {
        let reservation = try await admission.admit(ByteCount(50))
        #expect(admission.reserved == ByteCount(100))
        reservation.release()
    }
    await until { admission.waiting == 2 }
    large.cancel()
    await #expect(throws: BudgetError.cancelled) { try await large.value }
    try await small.value
    #expect(admission.reserved == half.footprint)
    half.release()
}

@Test func `a task cancelled before it asks is not admitted`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let task = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await admission.admit(ByteCount(1)).release()
    }
    await #expect(throws: BudgetError.cancelled) { try await task.value }
    #expect(admission.reserved == .zero)
    #expect(admission.waiting == 0)
}

@Test func `an exchange holds nothing while it waits`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let other = try await admission.admit(ByteCount(70))
    let task = Task {
        var probe = try await admission.admit(ByteCount(10))
        try await probe.exchange(for: ByteCount(90))
        #expect(probe.footprint == ByteCount(90))
        #expect(admission.reserved == ByteCount(90))
    }
    await until { admission.waiting == 1 }
    #expect(admission.reserved == ByteCount(70))
    other.release()
    try await task.value
    #expect(admission.reserved == .zero)
}

@Test func `an exchange for more than the budget fails and leaves nothing held`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    var probe = try await admission.admit(ByteCount(10))
    do throws(BudgetError) {
        try await probe.exchange(for: ByteCount(101))
        Issue.record("it was admitted")
    } catch {
        #expect(error == .exceedsBudget(required: ByteCount(101), budget: ByteCount(100)))
    }
    #expect(probe.footprint == .zero)
    #expect(admission.reserved == .zero)
}

@Test func `shrinking lets the next one in`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    var reservation = try await admission.admit(ByteCount(100))
    let next = Task { try await admission.admit(ByteCount(60)).release() }
    await until { admission.waiting == 1 }
    reservation.shrink(to: ByteCount(40))
    try await next.value
    #expect(admission.reserved == ByteCount(40))
    reservation.release()
}

@Test func `a handover carries a reservation into another task`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    let handover = ReservationHandover(try await admission.admit(ByteCount(30)))
    #expect(admission.reserved == ByteCount(30))
    await Task {
        let reservation = handover.take()
        #expect(admission.reserved == reservation.footprint)
    }.value
    #expect(admission.reserved == .zero)
}

@Test func `a handover that nobody takes gives back`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    var handover: ReservationHandover? = ReservationHandover(try await admission.admit(ByteCount(30)))
    #expect(handover != nil && admission.reserved == ByteCount(30))
    handover = nil
    #expect(admission.reserved == .zero)
}

@Test func `those who wait until nobody waits are told, or can be cancelled`() async throws {
    let admission = MemoryAdmission(total: ByteCount(100))
    await admission.untilNobodyWaits()
    let all = try await admission.admit(ByteCount(100))
    let waiter = Task { try await admission.admit(ByteCount(1)).release() }
    await until { admission.waiting == 1 }

    let impatient = Task { await admission.untilNobodyWaits() }
    impatient.cancel()
    await impatient.value

    let patient = Task {
        await admission.untilNobodyWaits()
        return admission.waiting
    }
    all.release()
    #expect(await patient.value == 0)
    try await waiter.value
}

@Test func `thousands of tasks that come, wait, give up and exchange never exceed the budget`() async throws {
    let total = ByteCount(10_000)
    let admission = MemoryAdmission(total: total)
    let held = Shared(ByteCount.zero)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<5_000 {
            let task = Task {
                var reservation = try await admission.admit(ByteCount(number % 97 + 1))
                try await reservation.exchange(for: ByteCount((number * 7_919) % 3_001))
                let mine = reservation.footprint
                held.value.withLock {
                    $0 += mine
                    #expect($0 <= total)
                }
                await Task.yield()
                held.value.withLock { $0 -= mine }
                #expect(admission.reserved <= total)
            }
            if number % 3 == 0 { task.cancel() }
            group.addTask {
                do {
                    try await task.value
                } catch BudgetError.cancelled {
                    #expect(number % 3 == 0)
                }
            }
        }
        try await group.waitForAll()
    }
    #expect(admission.reserved == .zero)
    #expect(admission.waiting == 0)
    #expect(admission.peakReserved <= total)
    #expect(admission.peakReserved > .zero)
}

/// A value that several tasks change; a class, since a closure cannot capture a lock by itself.
private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }
}

/// Gives way until the condition holds; the suite's own time limit ends a wait in vain.
private func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}
