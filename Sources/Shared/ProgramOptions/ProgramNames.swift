public import CommandLineOptions
internal import Units

/// What the programs are called on this machine. They are built as `worker`, `enqueue` and `fleet`; where these
/// names are too common, as in the Debian package, they are installed with a prefix, such as `thumbnail-worker`.
/// Help and advice name them as they are found here.
public enum ProgramNames {
    public static let worker = prefix + "worker"
    public static let enqueue = prefix + "enqueue"
    public static let fleet = prefix + "fleet"

    /// The pages of the others, for the manual.
    public static func pages(but name: String) -> [String] {
        [worker, enqueue, fleet].filter { $0 != name }.map { $0 + "(1)" }
    }

    /// Programs that are installed together have one prefix, so it follows from the own name.
    private static let prefix = prefix(of: CommandLine.arguments.first ?? "")

    /// `thumbnail-` of `/usr/bin/thumbnail-worker`; empty where the name is none of ours.
    static func prefix(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let plain = ["worker", "enqueue", "fleet"].first { name.hasSuffix("-" + $0) }
        return plain.map { String(name.dropLast($0.count)) } ?? ""
    }
}

/// Ends the program with what it says about itself for other programs. `SOURCE_DATE_EPOCH` is the day that
/// builds which have to come out the same name in a manual page.
public func end(
    generating artifact: Artifact, of program: ProgramDescription, environment: [String: String]
) -> Never {
    let seconds = environment["SOURCE_DATE_EPOCH"].flatMap { Int64($0) }
    // Twelve digits reach beyond the year 9999 already.
    let day = seconds.flatMap { seconds in
        (0..<253_402_300_800).contains(seconds)
            ? String(Timestamp(milliseconds: seconds * 1_000).rfc3339.prefix(10)) : nil
    }
    end(.done, printing: program.text(of: artifact, date: day))
}
