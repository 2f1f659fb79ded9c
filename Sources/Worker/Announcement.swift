import Threading

/// Something that happens again and again, and that tasks wait for: the next time wakes all of them.
final class Announcement: Sendable {
    private let times = Watched(0)

    /// How many there were.
    var count: Int { times.read { $0 } }

    func announce() { times.update { $0 += 1 } }

    /// Returns at the next announcement, or when the task is cancelled.
    func next() async {
        _ = await next(after: count)
    }

    /// Returns once there were more than `seen` announcements, and how many there were: none is missed
    /// between two calls.
    func next(after seen: Int) async -> Int {
        await times.wait { $0 > seen }
        return count
    }
}
