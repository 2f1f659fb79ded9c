import TestSupport

/// What one picture takes for one request, in bytes, as `RenderProbe` measures it in a process of its own: the
/// same figures on every run.
struct Measured: CustomStringConvertible {
    let request: String
    /// Predicted.
    let footprint: Int
    /// Taken, before there was a footprint.
    let inspection: Int
    /// Taken, the file's bytes included.
    let peak: Int
    let description: String

    struct ProbeFailed: Error { let words: String }

    /// - Parameter requests: as `RenderProbe` has them.
    /// - Returns: one a request that was not refused, in order.
    static func all(_ path: String, _ requests: [String]) async throws -> [Measured] {
        let probe = try ChildProcess(
            BuiltProgram.path("RenderProbe"), [path] + requests,
            environment: ["LD_PRELOAD": BuiltProgram.path("libAllocationCounter.so")])
        guard await probe.wait(atMost: .seconds(300)) == .status(0) else {
            throw ProbeFailed(words: path + ": " + probe.standardOutput + probe.standardError)
        }
        let lines = probe.standardOutput.split(separator: "\n")
        guard lines.count == requests.count else { throw ProbeFailed(words: probe.standardOutput) }
        return try lines.compactMap(Measured.init)
    }

    /// Of a file that is not there but for this.
    static func all(_ bytes: [UInt8], _ requests: [String]) async throws -> [Measured] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/picture.jpg"
        try bytes.write(to: path)
        return try await all(path, requests)
    }

    /// Nil for what was refused.
    private init?(_ line: Substring) throws {
        let words = line.split(separator: " ")
        guard words.count > 1, words[1] != "refused" else { return nil }
        var values: [Substring: Int] = [:]
        for index in stride(from: 1, to: words.count - 1, by: 2) {
            values[words[index]] = Int(words[index + 1])
        }
        guard let footprint = values["footprint"], let inspection = values["inspection"],
            let peak = values["peak"]
        else { throw ProbeFailed(words: String(line)) }
        request = String(words[0])
        self.footprint = footprint
        self.inspection = inspection
        self.peak = peak
        description = String(line)
    }
}
