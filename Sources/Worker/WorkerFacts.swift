import Glibc
import MemoryBudget
import ProgramOptions
import Synchronization
import Units

/// What operators see of a worker, as fields of its info hash in Redis.
final class WorkerFacts: Sendable {
    private let running: RunningJobs
    private let admission: MemoryAdmission
    private let host: String
    private let lastClaim = Mutex<Timestamp?>(nil)

    init(running: RunningJobs, admission: MemoryAdmission) {
        self.running = running
        self.admission = admission
        host = hostName()
    }

    func noteClaim() { lastClaim.withLock { $0 = .now() } }

    func fields() -> [(String, String)] {
        let counts = running.counts
        var fields = [
            ("host", host), ("pid", "\(getpid())"), ("version", programVersion),
            ("budget_bytes", "\(admission.total.bytes)"), ("reserved_bytes", "\(admission.reserved.bytes)"),
            ("reserved_peak_bytes", "\(admission.peakReserved.bytes)"),
            ("reserved_byte_seconds", "\(Int64(admission.reservedByteSeconds))"),
            ("running", "\(counts.running)"), ("finished", "\(counts.finished)"),
            ("failed", "\(counts.failed)"), ("seen_at", Timestamp.now().rfc3339),
        ]
        if let resident = residentSize() { fields.append(("rss_bytes", "\(resident.bytes)")) }
        if let claim = lastClaim.withLock({ $0 }) { fields.append(("last_claim_at", claim.rfc3339)) }
        return fields
    }

    /// Nil where /proc is hidden: one fact less.
    private func residentSize() -> ByteCount? {
        do throws(BudgetError) { return try ProcessMemory.resident() } catch { return nil }
    }
}

private func hostName() -> String {
    let longest = 256
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest) { buffer in
        guard let start = buffer.baseAddress, unsafe gethostname(start, longest - 1) == 0 else { return "" }
        unsafe buffer[longest - 1] = 0
        return unsafe String(cString: start)
    }
}
