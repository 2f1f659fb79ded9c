internal import Glibc
internal import Synchronization

/// The list of this process's open files, itself opened once and for all: behind a fence no directory of /proc can
/// be opened to be listed, but one that is open can.
final class OpenDescriptors: Sendable {
    /// Used by one thread at a time.
    @safe private struct Listing: @unchecked Sendable {
        let stream: OpaquePointer?
    }

    private let listing: Mutex<Listing>

    init() {
        listing = unsafe Mutex(Listing(stream: opendir("/proc/self/fd")))
    }

    deinit { listing.withLock { if let stream = unsafe $0.stream { unsafe _ = closedir(stream) } } }

    /// How many are open, without the list itself; nil where /proc is hidden.
    func count() -> Int? {
        listing.withLock { listing in
            guard let stream = unsafe listing.stream else { return nil }
            unsafe rewinddir(stream)
            var count = 0
            while let entry = unsafe readdir(stream) {
                if unsafe entry.pointee.d_type != UInt8(DT_DIR) { count += 1 }
            }
            return max(0, count - 1)
        }
    }
}
