import Glibc

/// The programs of this package, built beside the tests.
public enum BuiltProgram {
    /// The path of `worker` or `enqueue` in the directory of the running test bundle.
    public static func path(_ name: String) -> String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        let directory = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let beside = directory.joined(separator: "/") + "/" + name
        if unsafe access(beside, X_OK) == 0 { return beside }
        preconditionFailure("\(name) is not built beside \(bundle)")
    }

    /// Whether a program of the system is there, for tests that can do without.
    public static func isInstalled(_ name: String) -> Bool {
        ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains { unsafe access($0 + name, X_OK) == 0 }
    }
}
