import Glibc
import Testing
import Units

@testable import EventLog

/// Both ends of a pipe. The reading end never blocks.
private final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() {
        var ends: [Int32] = [0, 0]
        let status = unsafe pipe(&ends)
        precondition(status == 0)
        reading = ends[0]
        writing = ends[1]
        let flags = fcntl(reading, F_SETFL, O_NONBLOCK)
        precondition(flags == 0)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// All that is in the pipe now.
    func read() -> String {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(reading, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += chunk.prefix(count)
        }
    }

    func log(_ level: LogLevel = .info) -> EventLog {
        EventLog(level: level, format: .json, descriptor: writing, now: { Timestamp(milliseconds: 0) })
    }
}

@Test func `events of the level and above are written, others are not even computed`() {
    let pipe = Pipe()
    let log = pipe.log(.warning)
    var computed = 0
    func fields() -> LogFields {
        computed += 1
        return ["n": 1]
    }
    log.error("a", fields())
    log.warning("b", fields())
    log.info("c", fields())
    log.debug("d", fields())
    #expect(computed == 2)
    #expect(
        pipe.read() == #"{"time":"1970-01-01T00:00:00.000Z","level":"error","event":"a","n":1}"# + "\n"
            + #"{"time":"1970-01-01T00:00:00.000Z","level":"warning","event":"b","n":1}"# + "\n")
}

@Test func `a context is on every line of its log and of no other`() {
    let pipe = Pipe()
    let log = pipe.log()
    let worker = log.with(["worker": "w1"])
    worker.with(["job": "j1"]).info("a", ["n": 1])
    worker.info("b")
    log.info("c")
    let lines = pipe.read().split(separator: "\n")
    #expect(
        lines.map { $0.split(separator: "\"event\":")[1] } == [
            #""a","worker":"w1","job":"j1","n":1}"#, #""b","worker":"w1"}"#, #""c"}"#,
        ])
}

@Test func `lines stay whole when many threads write to a pipe that is read slowly`() async {
    let pipe = Pipe()
    let log = pipe.log()
    let lines = await withTaskGroup(of: Void.self) { group in
        for writer in 0..<20 {
            group.addTask {
                for number in 0..<50 {
                    log.info(
                        "a",
                        [
                            "writer": .integer(writer), "number": .integer(number),
                            "text": "xxxxxxxxxxxxxxxxxxxx",
                        ])
                    await Task.yield()
                }
            }
        }
        var all = ""
        while await group.next() != nil { all += pipe.read() }
        #expect(log.flush(within: .seconds(5)))
        return (all + pipe.read()).split(separator: "\n")
    }
    #expect(lines.count == 1_000)
    #expect(
        lines.allSatisfy { $0.hasPrefix(#"{"time":"#) && $0.hasSuffix(#""text":"xxxxxxxxxxxxxxxxxxxx"}"#) })
    #expect(Set(lines).count == 1_000)
}

@Test func `nobody reads, and logging goes on, drops at last, and says how much`() {
    let pipe = Pipe()
    let log = pipe.log()
    let text = String(repeating: "x", count: 900)
    let written = 1_000
    for number in 0..<written { log.info("a", ["number": .integer(number), "text": .string(text)]) }
    #expect(!log.flush(within: .zero))
    #expect(!log.flush(within: .milliseconds(20)))

    // The reader is back.
    var read = pipe.read()
    for _ in 0..<50 {
        _ = log.flush(within: .zero)
        read += pipe.read()
    }
    log.info("b")
    read += pipe.read()
    let lines = read.split(separator: "\n")
    let kept = lines.filter { $0.contains(#""event":"a""#) }.count
    #expect(kept > 200 && kept < 500)
    #expect(lines.suffix(2).first?.contains(#""event":"b""#) == true)
    #expect(
        lines.last?.contains(#""level":"warning","event":"log.dropped","lines":\#(written - kept)}"#) == true)
    log.info("c")
    #expect(!pipe.read().contains("log.dropped"))
}

@Test func `a reader who went away ends nothing`() {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    close(ends[0])
    let log = EventLog(format: .json, descriptor: ends[1])
    for _ in 0..<100 { log.info("a") }
    #expect(log.flush(within: .zero))
    close(ends[1])
}

@Test func `levels are ordered by importance`() {
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    #expect(LogLevel.error < .debug)
}
