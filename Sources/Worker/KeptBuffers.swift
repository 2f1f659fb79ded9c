import Buffers
import MemoryBudget
import Units

/// Buffers that are kept for the next picture in memory that the budget has and no job has reserved.
enum KeptBuffers {
    /// To be called whenever another amount is reserved.
    static func lend(of admission: MemoryAdmission) {
        BufferPool.lend { Int(loan(reserved: admission.reserved, of: admission.total).bytes) }
    }

    /// As much as the jobs that run now hold, since those that come next will want the same; and nothing any more
    /// when none runs.
    static func loan(reserved: ByteCount, of total: ByteCount) -> ByteCount {
        min(reserved, total - reserved)
    }
}
