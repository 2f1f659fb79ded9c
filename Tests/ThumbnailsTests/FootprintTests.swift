import Geometry
import TestSupport
import Testing
import Threading

/// What a job really takes, counted in a process of its own, against what was predicted.
struct FootprintTests {
    /// From an icon to a picture that is not reduced at all.
    static let requests = [
        "16x16@1", "120x120@3", "360x360@1,2,3", "99999x99999@1", "120x120@1,2,3/linear",
        "99999x99999@1/linear",
    ]

    @Test func `a photograph's footprint is what it takes at least, and twice that and a megabyte at most`()
        async throws
    {
        guard let corpus = Corpus() else { return }
        for row in corpus.manifest {
            guard let path = row["path"], path.hasPrefix("photos/") else { continue }
            for measured in try await Measured.all(corpus.folder + "/" + path, Self.requests) {
                #expect(measured.peak <= measured.footprint, "\(path) \(measured)")
                #expect(measured.footprint <= 2 * measured.peak + 1 << 20, "\(path) \(measured)")
            }
        }
    }

    @Test(arguments: [
        "landscape-420.jpg", "landscape-progressive.jpg", "landscape-rgb.jpg", "landscape-grey.jpg",
        "portrait-orientation-6.jpg", "square-444.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg",
        "lossless-rgb.jpg",
    ])
    func `every way to store a picture takes no more than its footprint`(name: String) async throws {
        let many = "40x40@" + (1...16).map { "\($0)" }.joined(separator: ",")
        for measured in try await Measured.all(Fixture.path(name), Self.requests + [many]) {
            #expect(measured.peak <= measured.footprint, "\(name) \(measured)")
        }
    }

    /// What makes it odd is found when all else is decoded.
    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg", "landscape-grey-progressive.jpg"])
    func `a file that goes to the next decoder takes no more than it is admitted with in the end`(
        name: String
    ) async throws {
        for measured in try await Measured.all(Fixture.bytes(name).withHeightAtEnd(427), Self.requests) {
            #expect(measured.peak <= measured.footprint, "\(name) \(measured)")
        }
    }

    @Test func `a picture of hundreds of scans takes no more than its footprint`() async throws {
        let requests = ["60x60@1", "120x120@1", "180x180@1", "250x250@1"]
        for measured in try await Measured.all(SlowPicture.bytes(side: 1024, isScalable: true), requests) {
            #expect(measured.peak <= measured.footprint, "\(measured)")
            #expect(measured.footprint <= 2 * measured.peak + 1 << 20, "\(measured)")
        }
    }

    /// 16 MB is what a JPEG's chunks can hold; each thumbnail carries the profile.
    @Test(arguments: [3_000_000, 16_000_000]) func `a large colour profile is counted`(length: Int)
        async throws
    {
        let profile = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = Fixture.bytes("landscape-420.jpg").withProfile(profile)
        let measured = try #require(try await Measured.all(file, ["100x100@1,2,3"]).first)
        #expect(measured.peak <= measured.footprint, "\(measured)")
        #expect(measured.footprint <= 2 * measured.peak + 1 << 20, "\(measured)")
        #expect(measured.peak >= 5 * length, "the file, the profile and three thumbnails: \(measured)")
    }

    /// A quarter turn takes a second plane, and odd sides a padded copy for the encoder.
    @Test(arguments: [(4001, 3001), (6000, 200), (200, 6000)])
    func `a large picture that is turned and not reduced takes no more than its footprint`(
        width: Int, height: Int
    ) async throws {
        let file = try flatPicture(PixelSize(width: width, height: height)).withOrientation(6)
        for measured in try await Measured.all(file, ["99999x99999@1", "99999x99999@1/linear"]) {
            #expect(measured.peak <= measured.footprint, "\(measured)")
            #expect(measured.footprint <= 2 * measured.peak + 2 << 20, "\(measured)")
        }
    }

    @Test func `a cut picture takes no more than its footprint where it is accepted`() async throws {
        for name in ["cut-half.jpg", "cut-progressive-early.jpg", "damaged.jpg"] {
            let measured = try #require(
                try await Measured.all(Fixture.path(name), ["300x300@1/partial"]).first)
            #expect(measured.peak <= measured.footprint, "\(name) \(measured)")
        }
    }

    /// What a worker holds for a job before it knows the job's footprint is 128 KiB.
    @Test func `inspecting a picture takes little, whatever its Exif says`() async throws {
        let filler = [UInt8](repeating: 65, count: 60_000)
        for exif in [Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0], Self.overlappingEntries] {
            let segment = Array("Exif\0\0".utf8) + exif + filler
            let file = Fixture.bytes("landscape-420.jpg").withSegment(0xE1, segment)
            let measured = try #require(try await Measured.all(file, ["16x16@1"]).first)
            #expect(measured.inspection <= 128 << 10, "\(measured)")
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
