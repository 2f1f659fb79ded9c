import Glibc
import FleetSupport
import JobQueue
import Redis
import TestSupport
import Testing

/// What tests of limits ask of a fleet.
extension TestFleet {
    /// Returns once nothing waits, runs or is delayed; everything that was pushed is then settled.
    func untilSettled(within limit: Duration = .seconds(60)) async throws {
        try await eventually(within: limit, "all jobs to be settled") {
            let audit = try await self.operators.audit()
            return audit.waiting + audit.running + audit.delayed == 0 ? () : nil
        }
    }

    /// Tells workers to stop and waits until they have; each must end well.
    func stop(_ workers: [ChildProcess], sourceLocation: SourceLocation = #_sourceLocation) async {
        for worker in workers { worker.send(15) }
        for worker in workers {
            let exit = await worker.wait()
            #expect(exit == .status(0), "\(worker.standardError)", sourceLocation: sourceLocation)
        }
    }

    /// A job for `a.jpg`, small enough to be done at once.
    static func job(_ id: String, _ more: String = "") -> String {
        #"{"source":"a.jpg","pt":"30x30","scale":1,"id":"\#(id)"\#(more)}"#
    }
}

extension ChildProcess {
    /// Processor time that the program has used so far, in user and system mode.
    var processorTime: Duration {
        let text = String(decoding: Fixture.contents(of: "/proc/\(pid)/stat") ?? [], as: UTF8.self)
        // After the name, which may hold anything and ends with the last parenthesis.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
            return .zero
        }
        return .milliseconds((user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes: a figure of `/proc/<pid>/status`, such as `VmHWM`.
    func memory(_ name: String) -> Int {
        let text = String(decoding: Fixture.contents(of: "/proc/\(pid)/status") ?? [], as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return (Int(line.dropFirst(name.count + 1).filter(\.isNumber)) ?? 0) << 10
    }
}
