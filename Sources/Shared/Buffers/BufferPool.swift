internal import Synchronization

/// Large buffers that are kept for the next picture instead of being given back to the kernel, which would have to
/// clear every page again: of a photograph of 12 megapixels 7 % of the time.
///
/// Nothing is kept until a program says how much it can spare: measurements and tests see each buffer come and go.
public enum BufferPool {
    /// What a worker always keeps: the file and the planes of one large photograph, or of several usual ones. Part of the
    /// 32 MiB that a worker may hold beside its budget.
    public static let usualLimit = 8 << 20

    private static let spare = Mutex(SpareRegions(own: 0))

    /// From now on, keeps what nobody uses, up to `limit` bytes. What a buffer has beyond the bytes that were asked for
    /// counts as well, so that a process holds at most `limit` beside what its jobs were admitted with.
    public static func keep(upTo limit: Int) {
        let unwanted = spare.withLock { $0.change(own: limit) }
        for region in unwanted { region.unmap() }
    }

    /// Keeps as much more as `bytes` says, which others have no use for just now. When it returns, no more is held.
    ///
    /// - Parameter bytes: read while no one else can lend, so that of those who call at one time the one who read last
    ///   has the last word.
    public static func lend(_ bytes: () -> Int) {
        // Unmapped under the lock: whoever asks for bytes back will use them at once, also those that another call
        // is about to give back.
        spare.withLock { spare in
            for region in spare.change(lent: bytes()) { region.unmap() }
        }
    }

    static func take(_ count: Int) -> Region? {
        spare.withLock { $0.take(count) }
    }

    static func give(_ region: Region, usedFor count: Int) {
        let unwanted = spare.withLock { $0.give(region, usedFor: count) }
        // Outside of the lock: the kernel takes its time.
        for region in unwanted { region.unmap() }
    }
}
