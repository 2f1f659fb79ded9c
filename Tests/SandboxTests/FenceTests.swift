import Glibc
import TestSupport
import Testing

@testable import Sandbox

/// What a process can still do behind a fence, tried by a program of its own: nobody takes a fence down again.
///
/// Where the kernel has no Landlock, or an old one, the tests of what it would forbid are left out, with a
/// message.
struct FenceTests {
    @Test(.enabled(if: Probe.holds(.files), "this kernel fences no files"))
    func `behind a fence only the named folders are there, on every thread`() async throws {
        let probe = try await Probe()
        for what in [
            "read inside", "list inside", "make a file", "rename a file", "make a folder", "remove a file",
            "read its own figures", "read the kernel's figures",
        ] {
            #expect(probe.outcome(what) == "done", "\(what)")
        }
        for what in [
            "write among the sources", "make a file among the sources", "make a link", "make a device",
            "read outside", "read outside through a link", "read /etc/passwd", "list outside",
            "write outside", "make a file outside", "remove a file outside",
            "read outside from a later thread", "read another process's environment",
            "read another process's memory", "list the processes",
        ] {
            #expect(probe.outcome(what) == "Permission denied", "\(what)")
        }
        #expect(probe.outsideIsUntouched)
    }

    @Test(.enabled(if: Probe.holds(.ports), "this kernel fences no ports"))
    func `TCP reaches the ports that are needed and no other, and nobody listens`() async throws {
        let probe = try await Probe()
        #expect(probe.outcome("connect") == "Connection refused", "nobody is there, but it may be asked")
        #expect(probe.outcome("connect to another port") == "Permission denied")
        #expect(probe.outcome("listen") == "Permission denied")
    }

    @Test(.enabled(if: Probe.holds(.ports), "this kernel fences no ports"))
    func `where any port may be needed TCP reaches it, and still nobody listens`() async throws {
        let probe = try await Probe(anyPort: true)
        #expect(probe.outcome("connect to another port") == "Connection refused")
        #expect(probe.outcome("listen") == "Permission denied")
        #expect(
            probe.outcome("holds") == "files signals capabilities calls", "what is open is not told as held")
    }

    @Test(.enabled(if: Probe.holds(.signals), "this kernel fences no signals"))
    func `other processes are not signalled`() async throws {
        let probe = try await Probe()
        #expect(probe.outcome("signal itself") == "done")
        #expect(probe.outcome("signal the parent") == "Operation not permitted")
    }

    @Test(.enabled(if: Probe.holds(.calls), "this kernel filters no calls"))
    func `no program is started, and calls that lead around the fence are refused`() async throws {
        let probe = try await Probe()
        for what in [
            "become a program", "start a program", "truncate a file outside", "change a file's mode",
            "change a file's owner", "mount", "become another user",
        ] {
            #expect(probe.outcome(what) == "Operation not permitted", "\(what)")
        }
        #expect(probe.outsideIsUntouched)
    }
}

struct RightsTests {
    /// As <linux/landlock.h> counts them.
    @Test(arguments: [(0, 0), (1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (7, 16), (99, 16)])
    func `a kernel is asked for the rights of its version only`(version: Int, bits: Int) {
        #expect(FileRights.known(to: version).rawValue == (1 << bits) - 1)
        #expect(PortRights.known(to: version).isEmpty == (version < 4))
        #expect(Scopes.known(to: version).isEmpty == (version < 6))
    }

    @Test func `without Landlock the state says what is missing and why`() {
        #expect(throws: SystemError.tooOld) {
            try Landlock(version: 0).enforce(Needs(readable: [], system: [], writable: [], ports: []))
        }
        var state = FenceState(landlockVersion: 2)
        state.note([.files])
        state.note([.calls], SystemError(number: EPERM))
        #expect(state.holds == [.files])
        #expect(state.lacks.map(\.part) == [.ports, .signals, .capabilities, .calls])
        #expect(state.lacks.map(\.reason) == [.tooOld, .tooOld, .tooOld, SystemError(number: EPERM)])
        #expect("\(state.lacks[3].reason)" == "Operation not permitted")
    }
}
