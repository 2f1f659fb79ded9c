internal import CLinux

/// What a process needs from now on. Behind a fence it has nothing else.
public struct Needs: Sendable {
    /// Directories beneath which files are read and directories listed.
    public let readable: [String]
    /// Files, and directories whose files are read by name. What is not there is passed over.
    public let system: [String]
    /// Directories beneath which files and directories are made, replaced and removed.
    public let writable: [String]
    /// Where TCP may connect to, on any host; nil for whoever learns only later where to. It listens nowhere.
    public let ports: [UInt16]?

    public init(readable: [String], system: [String], writable: [String], ports: [UInt16]?) {
        self.readable = readable
        self.system = system
        self.writable = writable
        self.ports = ports
    }
}

/// A fence around a process, which only the kernel holds and nobody can take down again, also not code that
/// an attacker's file made the process run.
///
/// Landlock knows files and ports, seccomp knows calls; and of root's rights few are left.
public enum Fence {
    /// What is forbidden, each as far as the kernel can.
    public enum Part: String, CaseIterable, Sendable {
        /// Opening, making, renaming and removing files but those that are needed, and starting programs.
        case files
        /// Connecting to ports but those that are needed, and listening. TCP alone: name servers answer by UDP.
        case ports
        /// Signals to processes outside, and to their abstract sockets.
        case signals
        /// What root may beyond reading and writing files of others.
        case capabilities
        /// The calls of `denied_calls.c`.
        case calls
    }

    /// Which Landlock this kernel has; 0 for none.
    static var landlockVersion: Int { max(0, Int(linux_landlock_version())) }

    /// CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what a worker of root's could open, it still can.
    private static let capabilitiesOfFiles: UInt64 = 1 << 1 | 1 << 2

    /// Raises it around this process, as high as the kernel allows.
    ///
    /// To be called before there is a second thread: Landlock holds for the thread that asks and for those that
    /// it starts. What is open stays open.
    public static func raise(around needs: Needs) -> FenceState {
        var state = FenceState(landlockVersion: landlockVersion)
        guard linux_give_up_new_privileges() == 0 else {
            state.note(Part.allCases, .last)
            return state
        }
        if needs.ports == nil { state.leaveOpen(.ports) }
        do throws(SystemError) {
            state.note(try Landlock(version: state.landlockVersion).enforce(needs))
        } catch {
            state.note([.files, .ports, .signals], error)
        }
        if linux_keep_capabilities(capabilitiesOfFiles) == 0 {
            state.note([.capabilities])
        } else {
            state.note([.capabilities], .last)
        }
        if linux_deny_calls() == 0 { state.note([.calls]) } else { state.note([.calls], .last) }
        return state
    }
}

/// What holds, once a fence was raised.
public struct FenceState: Sendable {
    /// 0 where the kernel has no Landlock, or has it switched off.
    public let landlockVersion: Int
    /// In the order of `Fence.Part`.
    public private(set) var holds: [Fence.Part] = []
    /// What does not hold since it was not asked for.
    public private(set) var open: [Fence.Part] = []
    /// What does not hold although it was asked for, with the kernel's reason.
    public var lacks: [(part: Fence.Part, reason: SystemError)] {
        Fence.Part.allCases.filter { !holds.contains($0) && !open.contains($0) }.map {
            ($0, reasons[$0] ?? .tooOld)
        }
    }

    private var reasons: [Fence.Part: SystemError] = [:]

    init(landlockVersion: Int) {
        self.landlockVersion = landlockVersion
    }

    mutating func note(_ parts: [Fence.Part]) { holds += parts }

    mutating func leaveOpen(_ part: Fence.Part) { open.append(part) }

    mutating func note(_ parts: [Fence.Part], _ reason: SystemError) {
        for part in parts { reasons[part] = reason }
    }
}
