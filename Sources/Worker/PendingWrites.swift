import Threading

/// Jobs whose thumbnails are made and not yet on the disk.
///
/// A local file system serves one file of a directory after the other, so that more at a time would only hold
/// threads and memory: on two cores there were 400 threads, and 30 MB resident instead of 20. A distant one
/// answers late and serves many at a time, for which there is room.
final class PendingWrites: Sendable {
    /// For each core, before nothing more is claimed.
    static let mostOfCore = 8

    private let count = Watched(0)

    func begin() { count.update { $0 += 1 } }

    func end() { count.update { $0 -= 1 } }

    /// Returns once there are fewer than `limit`, or once the calling task is cancelled.
    func untilFewer(than limit: Int) async {
        await count.wait { $0 < limit }
    }
}
