import CommandLineOptions
import Glibc
import ProgramOptions

/// Lines on standard output: what the program was asked for. Written at once, since a wait may follow.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

/// A line on standard error.
func complain(_ text: String) {
    writeToStandardError("\(ProgramNames.enqueue): \(text)")
}

/// `1 job`, `2 jobs`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
