import Foundation
import TestSupport

/// A shell of somebody who follows a page: what it names is there, led to a test's Redis and folders.
///
/// - `worker` works until the queue is dry, since the page's reader would end it by hand.
/// - `fleet status` may find that something is wrong: that is what it is asked for.
/// - Programs that would change the machine, or are not there, are stood in for: they write down their words.
public struct ReaderShell: Sendable {
    public struct Outcome: Sendable {
        public let output: String
        /// What stands in for other programs was told, a line a call.
        public let calls: [String]
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let folder: TemporaryFolder
    private let fleet: TestFleet

    /// - Parameter standIns: names of programs, each with what it says.
    public init(_ fleet: TestFleet, standIns: [String: String] = [:]) throws {
        self.fleet = fleet
        folder = try TemporaryFolder()
        let own = [
            "worker": #"exec \#(BuiltProgram.path("worker")) "$@" --drain"#,
            "enqueue": #"exec \#(BuiltProgram.path("enqueue")) "$@""#,
            "fleet": """
            status=0
            \(BuiltProgram.path("fleet")) "$@" || status=$?
            [ "$1:$status" = status:1 ] || exit $status
            """,
            "redis-cli": """
            if [ "$1" = -u ]; then shift 2; fi
            exec /usr/bin/redis-cli -s "\(fleet.redis.socket)" "$@"
            """,
        ]
        let others = standIns.mapValues { "echo \"${0##*/} $*\" >>\"\(folder.path)/calls\"\necho '\($0)'" }
        for (name, script) in own.merging(others, uniquingKeysWith: { _, other in other }) {
            let path = folder.path + "/" + name
            try Data("#!/bin/bash\n\(script)\n".utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
    }

    /// Runs an example of a page, each line until one fails.
    ///
    /// - Parameters:
    ///   - place: the folder that the reader is in.
    ///   - changes: what the page says of another machine, and what it is here.
    ///   - limit: for all of it.
    public func run(
        _ example: String, in place: String? = nil, changes: KeyValuePairs<String, String> = [:],
        environment: [String: String] = [:], within limit: Duration = .seconds(120)
    ) async throws -> Outcome {
        var script = example
        for (there, here) in changes {
            guard script.contains(there) else { throw Failure(description: "no \(there) in: \(example)") }
            script = script.replacingOccurrences(of: there, with: here)
        }
        let paths = folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        let shell = try ChildProcess(
            "/bin/bash", ["-euo", "pipefail", "-c", script],
            environment: ["PATH": paths, "REDIS_URL": fleet.url].merging(environment) { _, other in other },
            workingFolder: place ?? fleet.folder.path)
        let end = await shell.wait(atMost: limit)
        guard end == .status(0) else {
            throw Failure(
                description:
                    "\(String(describing: end)) of: \(script)\n\(shell.standardOutput)\(shell.standardError)")
        }
        let calls = Fixture.contents(of: folder.path + "/calls") ?? []
        return Outcome(
            output: shell.standardOutput,
            calls: String(decoding: calls, as: UTF8.self).split(separator: "\n").map(String.init))
    }
}
