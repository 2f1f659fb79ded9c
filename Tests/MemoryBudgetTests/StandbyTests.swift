import MemoryBudget
import Testing
import Units

/// Memory that its owner holds for nothing yet.
@Suite(.timeLimit(.minutes(1))) struct StandbyTests {
    @Test func `what stands by counts as reserved, and is its owner's again afterwards`() async throws {
        let admission = MemoryAdmission(total: ByteCount(100))
        let standby = admission.standBy(try await admission.admit(ByteCount(20)))
        #expect(admission.reserved == ByteCount(20))
        let beside = try await admission.admit(ByteCount(80))
        let reservation = standby.end()
        #expect(reservation.footprint == ByteCount(20) && admission.reserved == ByteCount(100))
        reservation.release()
        beside.release()
        #expect(admission.reserved == .zero)
    }

    @Test func `one who needs it does not wait for it, and its owner then has nothing`() async throws {
        let admission = MemoryAdmission(total: ByteCount(100))
        let standby = admission.standBy(try await admission.admit(ByteCount(20)))
        let all = try await admission.admit(ByteCount(100))
        #expect(admission.reserved == ByteCount(100))
        let rest = standby.end()
        #expect(rest.footprint == .zero && admission.reserved == ByteCount(100))
        rest.release()
        all.release()
        #expect(admission.reserved == .zero && admission.peakReserved == ByteCount(100))
    }

    @Test func `one who waits already gets it as soon as it stands by`() async throws {
        let admission = MemoryAdmission(total: ByteCount(100))
        let probe = try await admission.admit(ByteCount(20))
        let waiter = Task { try await admission.admit(ByteCount(90)).release() }
        while admission.waiting == 0 { await Task.yield() }
        let standby = admission.standBy(probe)
        try await waiter.value
        let rest = standby.end()
        #expect(rest.footprint == .zero)
        rest.release()
    }

    @Test func `it is not taken where that would let nobody in`() async throws {
        let admission = MemoryAdmission(total: ByteCount(100))
        let firm = try await admission.admit(ByteCount(30))
        let standby = admission.standBy(try await admission.admit(ByteCount(20)))
        let waiter = Task { try await admission.admit(ByteCount(71)).release() }
        while admission.waiting == 0 { await Task.yield() }
        let reservation = standby.end()
        #expect(reservation.footprint == ByteCount(20) && admission.reserved == ByteCount(50))
        reservation.release()
        firm.release()
        try await waiter.value
    }

    @Test func `a small file's job extends into it, and a standby that nobody ends gives it back`()
        async throws
    {
        let admission = MemoryAdmission(total: ByteCount(100))
        do {
            let first = admission.standBy(try await admission.admit(ByteCount(20)))
            var small = try await admission.admit(ByteCount(40))
            let isExtended = small.extend(to: ByteCount(90))
            #expect(isExtended && admission.reserved == ByteCount(90))
            small.shrink(to: ByteCount(10))
            let second = admission.standBy(try await admission.admit(ByteCount(30)))
            #expect(admission.reserved == ByteCount(40))
            withExtendedLifetime((first, second)) {}
            small.release()
        }
        #expect(admission.reserved == .zero)
    }
}
