public import Units

/// How much memory this process may use, and who says so.
public struct MemoryLimit: Sendable, Equatable {
    public enum Source: Sendable, Equatable {
        /// The tightest limit among the process's own cgroup and those around it: the file that holds it.
        case cgroup(file: String)
        /// No cgroup limits less than the machine has; what `/proc/meminfo` calls available.
        case availableMemory
    }

    public let amount: ByteCount
    public let source: Source

    public init(amount: ByteCount, source: Source) {
        self.amount = amount
        self.source = source
    }

    /// The share of the limit that jobs may hold unless told otherwise: the rest is for the runtime, the
    /// code itself, page cache that counts towards a cgroup, and whatever else lives in it.
    static let defaultShareInHundredths = 60

    /// The budget when none is given: 60 % of the limit.
    public var defaultBudget: ByteCount { amount.hundredths(Self.defaultShareInHundredths) }

    /// Finds the limit through `readFile`, which answers a file's text, or nil where there is none.
    ///
    /// Understands cgroup v1, v2 and both at once, nested groups, and mounts that show only a part of the
    /// tree, as containers have. Throws `noLimitFound` when nothing says anything.
    public static func detect(readFile: (String) -> String?) throws(BudgetError) -> MemoryLimit {
        let machine = readFile("/proc/meminfo").map(MachineMemory.init(meminfo:))
        let tightest = cgroupLimitFiles(readFile: readFile)
            .compactMap { file in readFile(file).flatMap(limit(in:)).map { (file: file, amount: $0) } }
            .min { $0.amount < $1.amount }
        // cgroup v1 writes “no limit” as a number near 2^63, and a limit above what the machine has
        // protects nobody.
        if let tightest, machine?.total.map({ tightest.amount < $0 }) ?? (tightest.amount < unlimitedInV1) {
            return MemoryLimit(amount: tightest.amount, source: .cgroup(file: tightest.file))
        }
        guard let available = machine?.available else { throw .noLimitFound }
        return MemoryLimit(amount: available, source: .availableMemory)
    }

    /// 4 EiB: half of what cgroup v1 writes for “no limit”, and beyond every machine.
    private static let unlimitedInV1 = ByteCount(Int64(1) << 62)

    /// The limit in a file's text; nil for `max` and for what is no number.
    private static func limit(in text: String) -> ByteCount? {
        Int64(text.trimmingNewline()).flatMap { $0 >= 0 ? ByteCount($0) : nil }
    }
}

/// The two lines of `/proc/meminfo` that matter here.
private struct MachineMemory {
    var total: ByteCount?
    var available: ByteCount?

    init(meminfo: String) {
        for line in meminfo.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let kibibytes = Int(words[1]), kibibytes >= 0 else { continue }
            switch words[0] {
            case "MemTotal:": total = .kibibytes(kibibytes)
            case "MemAvailable:": available = .kibibytes(kibibytes)
            default: continue
            }
        }
    }
}

extension String {
    fileprivate func trimmingNewline() -> Substring {
        hasSuffix("\n") ? dropLast() : self[...]
    }
}
