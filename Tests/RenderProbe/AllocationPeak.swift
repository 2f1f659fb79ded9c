import Glibc

/// The most memory that was allocated while something ran, as the preloaded `AllocationCounter` counts it.
struct AllocationPeak {
    private let start: @convention(c) () -> Int
    private let peak: @convention(c) () -> Int

    /// Nil where the library is not preloaded.
    init?() {
        guard let start = unsafe dlsym(nil, "allocation_counter_start"),
            let peak = unsafe dlsym(nil, "allocation_counter_peak")
        else { return nil }
        self.start = unsafe unsafeBitCast(start, to: (@convention(c) () -> Int).self)
        self.peak = unsafe unsafeBitCast(peak, to: (@convention(c) () -> Int).self)
    }

    /// - Returns: the bytes beyond those that were allocated at the start.
    func during<Result>(_ body: () throws -> Result) rethrows -> (bytes: Int, result: Result) {
        let before = start()
        let result = try body()
        return (peak() - before, result)
    }
}
