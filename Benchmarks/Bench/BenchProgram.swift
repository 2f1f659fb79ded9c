// Our side of the benchmarks in process: does one task a line of standard input and answers with one line, so
// that whoever measures can take turns between us and the peers.
//
//     thumbnail <tab> POINTS <tab> SCALES <tab> FILE     CPU time, time, bytes of all thumbnails
//     floor <tab> FILE                                   CPU time and time to read and decode at 1/8; rows
//     luma <tab> POINTS <tab> FILE <tab> OUTPUT          width, height, 1; the luma before encoding is in OUTPUT
//
// Times are in nanoseconds. An answer to a task that failed starts with `error`. With `--fast` as its argument it
// renders as a worker with that option does.

import Buffers
import Geometry
import Glibc
import MemoryBudget
import Thumbnails

@main
enum BenchProgram {
    static func main() {
        ProcessMemory.settle()
        BufferPool.keep(upTo: BufferPool.usualLimit)
        RenderingEnvironment.settle()
        let tasks = Tasks(options: RenderOptions(isFast: CommandLine.arguments.contains("--fast")))
        while let line = readLine() {
            print(answer(to: line.split(separator: "\t").map(String.init), by: tasks))
            // The one who asked waits for it, and a pipe is not flushed at the end of a line; nil is every stream.
            fflush(nil)
        }
    }

    private static func answer(to words: [String], by tasks: Tasks) -> String {
        do {
            switch (words.first, words.count) {
            case ("thumbnail", 4):
                let scales = words[2].split(separator: ",").compactMap { Double($0) }
                let (times, bytes) = try timed { try tasks.thumbnail(words[1], scales, of: words[3]) }
                return "\(times)\t\(bytes)"
            case ("floor", 2):
                let (times, rows) = try timed { try tasks.floor(words[1]) }
                return "\(times)\t\(rows)"
            case ("luma", 4):
                let size = try tasks.luma(words[1], of: words[2], into: words[3])
                return "\(size.width)\t\(size.height)\t1"
            default:
                return "error\tno such task: \(words.joined(separator: " "))"
            }
        } catch {
            return "error\t\(error)"
        }
    }

    /// The processor's time that `task` takes and the time by the clock, in nanoseconds, for an answer.
    private static func timed<Result>(_ task: () throws -> Result) rethrows -> (times: String, Result) {
        let (busy, start) = (nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID), nanoseconds(of: CLOCK_MONOTONIC))
        let result = try task()
        let taken = (
            nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) - busy, nanoseconds(of: CLOCK_MONOTONIC) - start
        )
        return ("\(taken.0)\t\(taken.1)", result)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int {
        var time = timespec()
        let status = unsafe clock_gettime(clock, &time)
        precondition(status == 0, "Linux has both clocks")
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
