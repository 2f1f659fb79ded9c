import Glibc
import Testing

@testable import JobQueue

/// Jobs as an attacker pushes them: up to 64 KiB of anything.
struct HostileJobTests {
    /// Values, names and texts, as many as fit: what costs most for its length.
    private static let shapes: [(name: String, make: @Sendable (Int) -> String)] = [
        ("a long array", { #"{"x":["# + list($0, each: "1") { _ in "1" } + "]}" }),
        ("many fields", { "{" + list($0, each: #""1234":1"#) { "\"\(1000 + $0)\":1" } + "}" }),
        ("one field many times", { "{" + list($0, each: #""v":1"#) { _ in #""v":1"# } + "}" }),
        ("slips of names", { "{" + list($0, each: #""scal1234":1"#) { "\"scal\(1000 + $0)\":1" } + "}" }),
        ("many arrays", { #"{"x":["# + list($0, each: "[]") { _ in "[]" } + "]}" }),
        ("escapes", { #"{"x":""# + String(repeating: #"\u00e9"#, count: $0 / 6) + #""}"# }),
        ("a long number", { #"{"x":0."# + String(repeating: "7", count: $0) + "}" }),
        ("spaces", { #"{"x":"# + String(repeating: " ", count: $0) + "1}" }),
    ]

    private static func list(_ bytes: Int, each: String, _ item: (Int) -> String) -> String {
        (0..<bytes / (each.utf8.count + 1)).map(item).joined(separator: ",")
    }

    /// Eight times the bytes may take eight times as long, and not sixty-four: the claim loop reads every job.
    @Test(arguments: shapes.indices)
    func `reading a job takes time in proportion to its length`(index: Int) {
        let shape = Self.shapes[index]
        let (short, long) = (Array(shape.make(7_500).utf8), Array(shape.make(60_000).utf8))
        let (once, eightfold) = (Self.leastTime(toRead: short), Self.leastTime(toRead: long))
        #expect(eightfold < once * 24, "\(shape.name): \(once), then \(eightfold)")
    }

    /// Of the processor, for this thread alone: a busy machine makes it no longer.
    private static func leastTime(toRead raw: [UInt8]) -> Duration {
        var least = Duration.seconds(1000)
        for _ in 0..<5 {
            let start = nanosecondsOfThisThread()
            _ = Job.read(raw)
            least = min(least, .nanoseconds(nanosecondsOfThisThread() - start))
        }
        return least
    }
}

private func nanosecondsOfThisThread() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
