import Threading

/// One of the few places for fleets that live at a time, free again when the object goes away.
///
/// The test library starts every test at once. With a Redis and some workers each, that is a hundred
/// processes in one second, which no measured time survives; most tests wait for leases, so that a few at
/// a time take hardly longer.
final class FleetPlace: Sendable {
    static let most = 8
    private static let taken = Watched(0)

    /// Waits for a place, in no particular order. A test may hold only one: two could wait for each other.
    init() async throws {
        while true {
            await Self.taken.wait { $0 < Self.most }
            try Task.checkCancellation()
            let isOurs = Self.taken.update { taken in
                guard taken < Self.most else { return false }
                taken += 1
                return true
            }
            if isOurs { return }
        }
    }

    deinit { Self.taken.update { $0 -= 1 } }
}
