import Glibc
import TestSupport
import Testing

@testable import Sandbox

/// One run of `FenceProbe` over three folders of its own.
struct Probe {
    private let folder: TemporaryFolder
    private let outcomes: [String: String]

    init(anyPort: Bool = false) async throws {
        folder = try TemporaryFolder()
        let (inside, output, outside) = (folder.path + "/in", folder.path + "/out", folder.path + "/outside")
        for path in [inside, output, outside] { try #require(unsafe mkdir(path, 0o755) == 0) }
        for path in [inside, outside] { try #require(Self.makeFile(path + "/a")) }
        try #require(unsafe symlink(outside + "/a", inside + "/outside") == 0)
        let program = try ChildProcess(
            BuiltProgram.path("FenceProbe"), [inside, output, outside] + (anyPort ? ["any-port"] : []))
        try #require(await program.wait() == .status(0), "\(program.standardError)")
        let lines = program.standardOutput.split(separator: "\n").map {
            $0.split(separator: ": ", maxSplits: 1)
        }
        outcomes = Dictionary(lines.map { (String($0[0]), String($0.last ?? "")) }) { $1 }
    }

    /// What came of an attempt: `done`, or the kernel's reason; nil when it was not made.
    func outcome(_ what: String) -> String? { outcomes[what] }

    /// Whether nothing beside the allowed folders was changed.
    var outsideIsUntouched: Bool {
        var status = stat()
        let path = folder.path + "/outside/a"
        guard unsafe stat(path, &status) == 0 else { return false }
        let isNewThere = unsafe access(folder.path + "/outside/new", F_OK) == 0
        return !isNewThere && status.st_size == Self.content.count && status.st_mode & 0o777 == 0o600
            && status.st_uid == getuid()
    }

    /// Whether this kernel can hold that part of a fence, asked without raising one.
    static func holds(_ part: Fence.Part) -> Bool {
        let version = Fence.landlockVersion
        return switch part {
        case .files: version >= 1
        case .ports: version >= 4
        case .signals: version >= 6
        case .capabilities: true
        case .calls: unsafe access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0
        }
    }

    private static let content = Array("secret".utf8)

    private static func makeFile(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return unsafe write(descriptor, content, content.count) == content.count
    }
}
