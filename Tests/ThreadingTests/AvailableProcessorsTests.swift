import Glibc
import Testing

@testable import Threading

struct AvailableProcessorsTests {
    @Test(arguments: [
        ("max 100000", nil), ("150000 100000", 2), ("200000 100000\n", 2), ("1000 100000", 1),
        ("", nil), ("-1 100000", nil), ("99 0", nil), ("99999999999999999999 1", nil),
    ])
    func `a quota is rounded up to whole processors`(text: String, expected: Int?) {
        #expect(processors(inQuota: text) == expected)
    }

    @Test func `a group and all its parents are asked for a quota`() {
        #expect(
            controlGroupFolders(ofProcess: "1:name=x:/old\n0::/a/b.service\n")
                == ["/sys/fs/cgroup/a/b.service", "/sys/fs/cgroup/a", "/sys/fs/cgroup"])
        #expect(controlGroupFolders(ofProcess: "0::/\n") == ["/sys/fs/cgroup"])
        #expect(controlGroupFolders(ofProcess: "").isEmpty)
    }

    @Test func `there is at least one and no more than are online`() {
        #expect((1...sysconf(Int32(_SC_NPROCESSORS_ONLN))).contains(availableProcessors()))
    }
}
