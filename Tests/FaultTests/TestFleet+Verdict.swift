import FleetSupport
import FoundationEssentials
import JobQueue
import TestSupport
import Testing

/// What must be so after every fault.
extension TestFleet {
    /// Every finished thumbnail by its path beneath the output folder.
    func thumbnails() throws -> [String: [UInt8]] {
        guard FileManager.default.fileExists(atPath: output) else { return [:] }
        var files: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: output) {
            let name = path.split(separator: "/").last ?? ""
            guard !name.hasPrefix(".tmp-"), let bytes = thumbnail(path), !bytes.isEmpty else { continue }
            files[path] = bytes
        }
        return files
    }

    /// Each of these jobs is settled, each once, nothing is left anywhere, and every thumbnail is byte for
    /// byte that of a run without faults. Answers the results by id.
    @discardableResult
    func expectVerdict(
        jobs ids: [String], thumbnails expected: [String: [UInt8]], unfinished: Int? = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: JobResult] {
        let results = try await results(ids.count)
        #expect(results.map(\.id).sorted() == ids.sorted(), sourceLocation: sourceLocation)
        try await expectAllSettled(unfinished: unfinished, sourceLocation: sourceLocation)
        let found = try thumbnails()
        #expect(found.keys.sorted() == expected.keys.sorted(), sourceLocation: sourceLocation)
        let areEqual = found == expected
        #expect(
            areEqual, "thumbnails differ from those of a run without faults", sourceLocation: sourceLocation)
        return Dictionary(results.map { ($0.id, $0) }) { first, _ in first }
    }
}
