import Geometry
import TestSupport
import Testing
import Threading

/// What a job really takes, measured by the kernel in a process of its own, against what was predicted.
struct FootprintTests {
    struct Request: Sendable {
        var points: String
        var scales = "1"
        var light = "gamma"
    }

    /// From an icon to a picture that is not reduced at all.
    static let requests = [
        Request(points: "16x16"), Request(points: "120x120", scales: "3"),
        Request(points: "360x360", scales: "1,2,3"), Request(points: "99999x99999"),
        Request(points: "120x120", scales: "1,2,3", light: "linear"),
        Request(points: "99999x99999", light: "linear"),
    ]

    @Test func `no photograph takes more than its footprint, nor less than half of it and a megabyte`()
        async throws
    {
        guard let corpus = Corpus() else { return }
        var report: [String] = []
        for row in corpus.manifest {
            guard let path = row["path"], path.hasPrefix("photos/") else { continue }
            for request in Self.requests {
                let measured = try await Measured(corpus.folder + "/" + path, request)
                report.append("\(path) \(request.points)@\(request.scales) \(request.light): \(measured)")
                #expect(
                    measured.mostPeak <= measured.footprint, "\(path) \(request): \(measured)")
                #expect(
                    measured.footprint <= 2 * measured.mostPeak + 1 << 20, "\(path) \(request): \(measured)")
            }
        }
        print("footprint:\n" + report.joined(separator: "\n"))
    }

    @Test(arguments: [
        "landscape-420.jpg", "landscape-progressive.jpg", "landscape-rgb.jpg", "landscape-grey.jpg",
        "portrait-orientation-6.jpg", "square-444.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg",
        "lossless-rgb.jpg",
    ])
    func `every way to store a picture takes no more than its footprint`(name: String) async throws {
        let path = Fixture.path(name)
        let many = (1...16).map { "\($0)" }.joined(separator: ",")
        for request in Self.requests + [Request(points: "40x40", scales: many)] {
            let measured = try await Measured(path, request)
            #expect(measured.mostPeak <= measured.footprint, "\(name) \(request): \(measured)")
        }
    }

    /// What makes it odd is found when all else is decoded.
    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg", "landscape-grey-progressive.jpg"])
    func `a file that goes to the next decoder takes no more than it is admitted with in the end`(
        name: String
    )
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path + "/odd.jpg"
        try Fixture.bytes(name).withHeightAtEnd(427).write(to: path)
        for request in Self.requests {
            let measured = try await Measured(path, request)
            #expect(measured.mostPeak <= measured.footprint, "\(name) \(request): \(measured)")
        }
    }

    @Test(arguments: ["60x60", "120x120", "180x180", "250x250"])
    func `a picture of hundreds of scans takes no more than its footprint`(points: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/scans.jpg"
        try SlowPicture.bytes(side: 1024, isScalable: true).write(to: path)
        let measured = try await Measured(path, Request(points: points))
        #expect(measured.mostPeak <= measured.footprint, "\(measured)")
        #expect(measured.footprint <= 2 * measured.mostPeak + 1 << 20, "\(measured)")
    }

    /// 16 MB is what a JPEG's chunks can hold; each thumbnail carries the profile.
    @Test(arguments: [3_000_000, 16_000_000]) func `a large colour profile is counted`(length: Int)
        async throws
    {
        let profile = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let folder = try TemporaryFolder()
        let path = folder.path + "/profile.jpg"
        try Fixture.bytes("landscape-420.jpg").withProfile(profile).write(to: path)
        let measured = try await Measured(path, Request(points: "100x100", scales: "1,2,3"))
        #expect(measured.mostPeak <= measured.footprint, "\(measured)")
        #expect(measured.footprint <= 2 * measured.mostPeak + 1 << 20, "\(measured)")
        #expect(measured.peak >= 5 * length, "the file, the profile and three thumbnails: \(measured)")
    }

    /// A quarter turn takes a second plane, and odd sides a padded copy for the encoder.
    @Test(arguments: [(4001, 3001), (6000, 200), (200, 6000)])
    func `a large picture that is turned and not reduced takes no more than its footprint`(
        width: Int, height: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/turned.jpg"
        let bytes = try flatPicture(PixelSize(width: width, height: height)).withOrientation(6)
        try bytes.write(to: path)
        for light in ["gamma", "linear"] {
            let measured = try await Measured(path, Request(points: "99999x99999", light: light))
            #expect(measured.mostPeak <= measured.footprint, "\(light): \(measured)")
            #expect(measured.footprint <= 2 * measured.mostPeak + 2 << 20, "\(light): \(measured)")
        }
    }

    @Test func `a cut picture takes no more than its footprint where it is accepted`() async throws {
        for name in ["cut-half.jpg", "cut-progressive-early.jpg", "damaged.jpg"] {
            let measured = try await Measured(
                Fixture.path(name), Request(points: "300x300"), acceptsPartial: true)
            #expect(measured.mostPeak <= measured.footprint, "\(name): \(measured)")
        }
    }

    /// What a worker holds for a job before it knows the job's footprint is 128 KiB.
    @Test func `inspecting a picture takes little, whatever its Exif says`() async throws {
        let folder = try TemporaryFolder()
        let filler = [UInt8](repeating: 65, count: 60_000)
        for (name, exif, limit) in [
            ("long", Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0] + filler, 128),
            ("hostile", Self.overlappingEntries + filler, 512),
        ] {
            let path = folder.path + "/\(name).jpg"
            try Fixture.bytes("landscape-420.jpg").withSegment(0xE1, Array("Exif\0\0".utf8) + exif).write(
                to: path)
            let measured = try await Measured(path, Request(points: "16x16"))
            #expect(measured.inspection <= limit << 10, "\(name): \(measured)")
        }
    }

    /// 256 tags, each with the same 4,000 bytes for its value: what libexif knows of them, it copies.
    private static let overlappingEntries: [UInt8] = {
        let tags = 0...255
        var tiff: [UInt8] = Array("MM\0*".utf8) + [0, 0, 0, 8, 1, 0]
        for tag in tags { tiff += [0x01, UInt8(tag), 0, 7, 0, 0, 0x0F, 0xA0, 0, 0, 0, 8] }
        return tiff
    }()
}

/// What `RenderProbe` says, in bytes.
struct Measured: CustomStringConvertible {
    /// What the kernel may leave out of a peak, on one core.
    static let blur = 128 << 10

    let description: String
    let footprint: Int
    let inspection: Int
    let peak: Int

    /// With what the kernel may have left out.
    var mostPeak: Int { peak + Self.blur }

    struct ProbeFailed: Error { let words: String }

    init(
        _ path: String, _ request: FootprintTests.Request, acceptsPartial: Bool = false
    ) async throws {
        let probe = try ChildProcess(
            BuiltProgram.path("RenderProbe"),
            [path, request.points, request.scales, request.light, acceptsPartial ? "partial" : "whole"])
        guard await probe.wait(atMost: .seconds(60)) == .status(0) else {
            throw ProbeFailed(words: probe.standardError)
        }
        description = probe.standardOutput
        let words = probe.standardOutput.split(whereSeparator: { " \n".contains($0) })
        var values: [Substring: Int] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            values[words[index]] = Int(words[index + 1])
        }
        footprint = try #require(values["footprint"])
        inspection = try #require(values["inspection"])
        peak = try #require(values["peak"])
    }
}
