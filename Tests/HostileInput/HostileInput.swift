import CommandLineOptions
import Exif
import Geometry
import JPEG
import JobQueue
import Redis
import Units

/// A place at which bytes of strangers come in, and what has to hold there for any bytes whatever.
///
/// `make fuzz` looks for bytes that break it; tests ask it of all files that are here.
public enum HostileInput: String, CaseIterable, Sendable {
    /// A file's segments, its orientation and its colour profile.
    case header
    /// A block of Exif, and a packet of XMP, without a file around them.
    case metadata
    /// The whole way from a file to its thumbnail.
    case decode
    /// An entry of the queue, and an entry of the results.
    case job
    /// A command line, one argument a line.
    case options

    /// What was promised and does not hold.
    public struct Contradiction: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Throws: what does not hold. A trap is worse, and the fuzzer sees that as well.
    public func check(_ bytes: [UInt8]) throws(Contradiction) {
        switch self {
        case .header: try Self.checkHeader(bytes)
        case .metadata: try Self.checkMetadata(bytes)
        case .decode: try DecodeCheck.check(bytes)
        case .job: try Self.checkJob(bytes)
        case .options: try Self.checkOptions(bytes)
        }
    }

    static func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Contradiction) {
        guard holds else { throw Contradiction(description: what()) }
    }

    private static func checkHeader(_ bytes: [UInt8]) throws(Contradiction) {
        guard let header = try? JPEGHeader(parsing: bytes.span) else { return }
        try expect(header.size.width > 0 && header.size.height > 0, "an empty picture: \(header.size)")
        try expect(header.firstScan + 1 < bytes.count, "a scan behind the end: \(header.firstScan)")
        for range in [header.exif, header.xmp].compactMap(\.self) + header.iccChunks.map(\.range) {
            try expect(range.upperBound <= header.firstScan, "metadata behind the header: \(range)")
        }
        let profile = ICCProfile.assemble(header, in: bytes.span)
        try expect(
            profile.map(\.count) ?? header.profileBytes == header.profileBytes, "a profile of another length")
        if let count = try? ScanCount(of: header, in: bytes.span) {
            try expect((1...ScanCount.limit).contains(count.scans), "\(count.scans) scans")
        }
        for range in [header.exif, header.xmp].compactMap(\.self) {
            try checkMetadata(Array(bytes[range]))
        }
    }

    private static func checkMetadata(_ bytes: [UInt8]) throws(Contradiction) {
        let framed = Array("Exif\0\0".utf8) + bytes
        for found in [
            ExifOrientation.find(exif: bytes.span, xmp: nil),
            ExifOrientation.find(exif: framed.span, xmp: bytes.span),
            ExifOrientation.find(exif: nil, xmp: bytes.span),
        ] where found.source == .absent || found.source == .invalid {
            try expect(found.value == .up, "\(found.source), and yet \(found.value)")
        }
    }

    private static func checkJob(_ bytes: [UInt8]) throws(Contradiction) {
        let reading = Job.read(bytes)
        let ticket = reading.ticket
        try expect(ticket.raw == bytes, "a ticket of other bytes")
        for name in [ticket.id, ticket.batch ?? "-"] {
            try expect((1...Job.longestName).contains(name.utf8.count), "a name of \(name.utf8.count) bytes")
        }
        switch reading {
        case .invalid(_, let problems): try expect(!problems.isEmpty, "invalid for no reason")
        case .newerVersion(_, let version): try expect(version > Job.knownVersion, "version \(version)")
        case .job(let job):
            try expect(!job.source.utf8.contains(0) && !job.source.isEmpty, "a source that is no path")
            try expect((1...Job.mostScales).contains(job.scales.count), "\(job.scales.count) scales")
            for side in [job.pointWidth, job.pointHeight] {
                for scale in job.scales {
                    try expect(side * scale > 0 && (side * scale).isFinite, "a side of \(side * scale)")
                }
            }
        }
        // A result comes from Redis, where anybody may have written it.
        if let result = try? JobResult(json: bytes) {
            try expect((try? JobResult(json: bytes)) == result, "one result read in two ways")
        }
    }

    private static func checkOptions(_ bytes: [UInt8]) throws(Contradiction) {
        let arguments = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let first = arguments.first ?? ""
        do throws(UsageError) {
            _ = try OptionSample.table.parse(arguments, environment: ["SAMPLE_LIST": first])
        } catch {
            try expect(!error.problems.isEmpty, "refused for no reason")
            for problem in error.problems {
                try expect(!problem.description.isEmpty, "a problem without words")
            }
        }
        for text in arguments {
            if let size = try? ByteCount(parsing: text) {
                try expect(size >= .zero, "\(text) is \(size)")
            }
            if let address = try? RedisAddress(parsing: text), let password = address.password {
                let isTold = password.utf8.count > 6 && "\(address)".contains(password)
                try expect(!isTold, "a password is told")
            }
        }
    }
}
