internal import Glibc
public import Units

/// What the kernel counts of this process. Made before a fence that forbids to list directories.
public final class ProcessFigures: Sendable {
    /// Of the wall clock.
    public let startedAt: Timestamp
    private let descriptors: OpenDescriptors

    public init() {
        startedAt = .now()
        descriptors = OpenDescriptors()
    }

    /// Nil where /proc is hidden; so are those below.
    public var resident: ByteCount? {
        do throws(BudgetError) { return try ProcessMemory.resident() } catch { return nil }
    }

    /// The most that was ever resident.
    public var residentPeak: ByteCount? { ProcessMemory.residentPeak() }

    /// Of all threads, in user and kernel mode.
    public var processorTime: Duration? {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        return .seconds(user.tv_sec + system.tv_sec) + .microseconds(user.tv_usec + system.tv_usec)
    }

    public var openDescriptors: Int? { descriptors.count() }
}
