import MemoryBudget
import Testing
import Units

private let meminfo = """
    MemTotal:       16000000 kB
    MemFree:         1000000 kB
    MemAvailable:    8000000 kB

    """

private let v2Mount = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
private let v1Mounts = """
    31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct
    32 30 0:28 / /sys/fs/cgroup/memory rw shared:14 master:2 - cgroup cgroup rw,memory

    """

private func detect(_ files: [String: String]) throws -> MemoryLimit {
    try MemoryLimit.detect { files[$0] }
}

@Test func `cgroup v2 tells the limit of the own group`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo, "/proc/self/mountinfo": v2Mount,
        "/proc/self/cgroup": "0::/system.slice/worker.service\n",
        "/sys/fs/cgroup/system.slice/worker.service/memory.max": "1073741824\n",
        "/sys/fs/cgroup/system.slice/memory.max": "max\n",
    ])
    #expect(limit.amount == .gibibytes(1))
    #expect(limit.source == .cgroup(file: "/sys/fs/cgroup/system.slice/worker.service/memory.max"))
    #expect(limit.defaultBudget == ByteCount(644_245_094))
}

@Test func `the tightest of all groups around the process counts`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo, "/proc/self/mountinfo": v2Mount, "/proc/self/cgroup": "0::/a/b/c\n",
        "/sys/fs/cgroup/a/b/c/memory.max": "max\n",
        "/sys/fs/cgroup/a/b/memory.max": "3000000\n",
        "/sys/fs/cgroup/a/memory.max": "2000000\n",
        "/sys/fs/cgroup/memory.max": "4000000\n",
    ])
    #expect(
        limit
            == MemoryLimit(amount: ByteCount(2_000_000), source: .cgroup(file: "/sys/fs/cgroup/a/memory.max"))
    )
}

@Test func `memory high is a limit too`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo, "/proc/self/mountinfo": v2Mount, "/proc/self/cgroup": "0::/a\n",
        "/sys/fs/cgroup/a/memory.max": "3000000\n", "/sys/fs/cgroup/a/memory.high": "2500000\n",
    ])
    #expect(limit.amount == ByteCount(2_500_000))
}

@Test func `a container with a namespace of its own sees its limit at the mount point`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo, "/proc/self/mountinfo": v2Mount, "/proc/self/cgroup": "0::/\n",
        "/sys/fs/cgroup/memory.max": "536870912\n",
    ])
    #expect(limit.amount == .mebibytes(512))
}

@Test func `cgroup v1 tells the limit, and the other controllers are left alone`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo, "/proc/self/mountinfo": v1Mounts,
        "/proc/self/cgroup": "5:cpu,cpuacct:/elsewhere\n4:memory:/jobs/one\n",
        "/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": "9223372036854771712\n",
        "/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": "700000000\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    ])
    #expect(limit.amount == ByteCount(700_000_000))
}

@Test func `a container that sees only its part of the v1 tree finds its limit there`() throws {
    let mount = "32 30 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
    let files = [
        "/proc/meminfo": meminfo, "/proc/self/mountinfo": mount,
        "/proc/self/cgroup": "4:memory:/docker/abc/inner\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "600000000\n",
        "/sys/fs/cgroup/memory/inner/memory.limit_in_bytes": "500000000\n",
    ]
    #expect(try detect(files).amount == ByteCount(500_000_000))

    var elsewhere = files
    elsewhere["/proc/self/cgroup"] = "4:memory:/kubepods/xyz\n"
    #expect(try detect(elsewhere).amount == ByteCount(600_000_000))
}

@Test func `with both versions mounted, both are asked`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo,
        "/proc/self/mountinfo": v1Mounts
            + "33 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
        "/proc/self/cgroup": "4:memory:/one\n0::/two\n",
        "/sys/fs/cgroup/memory/one/memory.limit_in_bytes": "700000000\n",
        "/sys/fs/cgroup/unified/two/memory.max": "600000000\n",
    ])
    #expect(limit.amount == ByteCount(600_000_000))
}

@Test func `a mount point with a space in its name is found`() throws {
    let limit = try detect([
        "/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/a\n",
        "/proc/self/mountinfo": #"30 24 0:26 / /odd\040place rw - cgroup2 cgroup2 rw"#,
        "/odd place/a/memory.max": "5000000\n",
    ])
    #expect(limit.amount == ByteCount(5_000_000))
}

@Test(arguments: [
    [
        "/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": v2Mount,
        "/sys/fs/cgroup/a/memory.max": "max\n",
    ],
    [
        "/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": v2Mount,
        "/sys/fs/cgroup/a/memory.max": "99000000000000\n",
    ],
    [
        "/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": v2Mount,
        "/sys/fs/cgroup/a/memory.max": "-5 nonsense",
    ],
    ["/proc/self/cgroup": "nonsense", "/proc/self/mountinfo": "more - of it"], [:],
])
func `without a limit below the machine's memory the available memory counts`(files: [String: String]) throws
{
    let limit = try detect(files.merging(["/proc/meminfo": meminfo]) { old, _ in old })
    #expect(limit == MemoryLimit(amount: ByteCount(8_192_000_000), source: .availableMemory))
    #expect(limit.defaultBudget == ByteCount(4_915_200_000))
}

@Test func `when nothing says anything the budget has to be given`() {
    #expect(throws: BudgetError.noLimitFound) { try detect([:]) }
    #expect(throws: BudgetError.noLimitFound) {
        try detect([
            "/proc/self/cgroup": "4:memory:/\n", "/proc/self/mountinfo": v1Mounts,
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ])
    }
}

@Test func `this machine has a limit`() throws {
    let limit = try MemoryLimit.detect()
    #expect(limit.amount > .mebibytes(16))
    #expect(limit.defaultBudget < limit.amount)
}

@Test func `the resident size follows a large buffer up and down`() throws {
    // Other tests allocate in the same process at the same time: the buffer dwarfs them.
    ProcessMemory.settle()
    let before = try ProcessMemory.resident()
    var buffer: [UInt8] = Array(repeating: 1, count: 256 << 20)
    let during = try ProcessMemory.resident()
    #expect(buffer.count == 256 << 20)
    #expect(during > before + .mebibytes(128))
    buffer = []
    ProcessMemory.trim()
    #expect(try ProcessMemory.resident() + .mebibytes(128) < during)
}
