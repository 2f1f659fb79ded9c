internal import CLinux
internal import Glibc
public import Units

/// The memory of this process as a whole: how glibc's allocator behaves, and what is resident.
public enum ProcessMemory {
    /// Blocks from here on are mapped by themselves and go back to the kernel when freed. Setting it
    /// also ends glibc's rule of raising the threshold to 32 MiB after the first large free, which would
    /// put later coefficient arrays into the heap, where one small block above them pins them.
    static let mappingThreshold = ByteCount.kibibytes(256)

    /// Free memory at the top of the heap beyond this goes back to the kernel. Also fixed by being set.
    static let trimThreshold = ByteCount.kibibytes(512)

    /// glibc gives up to eight arenas a core to threads that collide, and a fragmented arena never
    /// shrinks. Two are enough where pixels are kept in buffers of their own.
    static let arenas = 2

    /// Makes the allocator's footprint predictable. To be called once, first thing in the process, before
    /// there is a second thread.
    public static func settle() {
        set(M_MMAP_THRESHOLD, to: Int32(mappingThreshold.bytes))
        set(M_TRIM_THRESHOLD, to: Int32(trimThreshold.bytes))
        set(M_ARENA_MAX, to: Int32(arenas))
    }

    private static func set(_ parameter: Int32, to value: Int32) {
        // glibc takes them all; an allocator in its place, such as address sanitizer's, has no such settings.
        _ = mallopt(parameter, value)
    }

    /// Gives free memory inside the heap back to the kernel. Takes milliseconds with a large heap: after
    /// large jobs, not after each.
    public static func trim() {
        // The answer says whether anything was given back; either is fine.
        _ = malloc_trim(0)
    }

    /// The resident size of this process.
    public static func resident() throws(BudgetError) -> ByteCount {
        guard let pages = readWholeFile("/proc/self/statm")?.split(separator: " ").dropFirst().first,
            let count = Int(pages), count >= 0
        else { throw .residentSizeUnknown }
        return ByteCount(count) * sysconf(Int32(_SC_PAGESIZE))
    }
}

extension ProcessMemory {
    /// The most that was ever resident; nil where /proc is hidden.
    static func residentPeak() -> ByteCount? {
        let line = readWholeFile("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        // VmHWM:     15208 kB
        guard let words = line?.split(whereSeparator: \.isWhitespace), words.count == 3,
            let kibibytes = Int(words[1]), kibibytes >= 0
        else { return nil }
        return .kibibytes(kibibytes)
    }
}

extension MemoryLimit {
    /// Finds the limit of this process on this machine.
    public static func detect() throws(BudgetError) -> MemoryLimit {
        try detect(readFile: readWholeFile)
    }
}

/// The text of a small file that the kernel makes up; nil where it cannot be read. The largest of them,
/// `mountinfo`, has a few hundred bytes a mount.
private func readWholeFile(_ path: String) -> String? {
    let largest = 1 << 20
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while content.count < largest {
        let count = unsafe read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { break }
        content += chunk.prefix(count)
    }
    return String(decoding: content, as: UTF8.self)
}
