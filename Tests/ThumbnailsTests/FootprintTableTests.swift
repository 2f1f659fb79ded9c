import Glibc
import TestSupport
import Testing

/// `Tests/Fixtures/footprints.tsv`: what is predicted and taken of pictures that everybody has, so that a change
/// shows in the change that makes it. `make footprint` writes it anew.
///
/// With THUMBNAIL_LONG_TESTS also every file of the corpus, and pictures whose coefficients take a gigabyte, are
/// held against their footprints.
@Suite(.serialized) struct FootprintTableTests {
    private static let requests = [
        "16x16@1", "120x120@3", "360x360@1,2,3", "8000x8000@1", "120x120@1,2,3/linear", "8000x8000@1/linear",
    ]
    /// How much a peak may differ where the C library or Swift's arrays are others than those of the table.
    private static let tolerance = 32 << 10

    /// Whether the kernel touches two megabytes where a program touches a byte.
    private static let hasLargePagesUnasked = String(
        decoding: Fixture.contents(of: "/sys/kernel/mm/transparent_hugepage/enabled") ?? [], as: UTF8.self
    ).contains("[always]")

    @Test func `pictures take what the table says`() async throws {
        let rows = try await Self.rows()
        let path = Fixture.path("footprints.tsv")
        if isSet("THUMBNAIL_WRITE_FOOTPRINTS") {
            let lines = rows.map { "\($0.name)\t\($0.request)\t\($0.footprint)\t\($0.peak)\n" }
            try Array(("picture\trequest\tfootprint\tpeak\n" + lines.joined()).utf8).write(to: path)
        }
        let lines = String(decoding: Fixture.bytes("footprints.tsv"), as: UTF8.self).split(separator: "\n")
        let table = lines.dropFirst().map { $0.split(separator: "\t").map(String.init) }
        #expect(table.map { $0[0] + $0[1] } == rows.map { $0.name + $0.request }, "make footprint")
        for (line, row) in zip(table, rows) {
            let (footprint, peak) = (try #require(Int(line[2])), try #require(Int(line[3])))
            #expect(row.footprint == footprint, "\(row.name) \(row.request): make footprint")
            if !Self.hasLargePagesUnasked {
                #expect(abs(row.peak - peak) <= Self.tolerance, "\(row.name) \(row.request): make footprint")
            }
            #expect(row.peak <= row.footprint, "\(row.name) \(row.request)")
        }
    }

    private struct Row {
        let name: String
        let request: String
        let footprint: Int
        let peak: Int
    }

    private static func rows() async throws -> [Row] {
        var rows: [Row] = []
        for name in fixtures {
            rows += try await Self.rows(name, Measured.all(Fixture.path(name), requests))
        }
        for picture in Extreme.all {
            rows += try await Self.rows(picture.name, Measured.all(picture.bytes, requests))
            let turned = picture.bytes.withOrientation(6)
            rows += try await Self.rows(
                picture.name + ", turned", Measured.all(turned, [requests[1], requests[3]]))
        }
        return rows
    }

    private static func rows(_ name: String, _ measured: [Measured]) -> [Row] {
        measured.map { Row(name: name, request: $0.request, footprint: $0.footprint, peak: $0.peak) }
    }

    private static let fixtures = [
        "landscape-420.jpg", "landscape-progressive.jpg", "landscape-restarts.jpg", "landscape-grey.jpg",
        "landscape-rgb.jpg", "square-444.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg", "lossless-rgb.jpg",
        "icc-one-chunk.jpg",
    ]

    @Test(.enabled(if: isSet("THUMBNAIL_LONG_TESTS")))
    func `no file of the corpus takes more than its footprint, in any box`() async throws {
        guard let corpus = Corpus() else { return }
        let boxes = [16, 64, 200, 360, 1080, 8000]
        let requests =
            boxes.flatMap { ["\($0)x\($0)@1", "\($0)x\($0)@1,2,3"] }
            + ["200x200@1/linear", "8000x8000@1,2,3/linear", "300x300@1/partial"]
        var count = 0
        for row in corpus.manifest {
            guard let path = row["path"], let bytes = corpus.bytes(path) else { continue }
            let isJPEG = bytes.starts(with: [0xFF, 0xD8])
            for variant in isJPEG ? [bytes, bytes.withOrientation(6)] : [bytes] {
                for measured in try await Measured.all(variant, requests) {
                    #expect(measured.peak <= measured.footprint, "\(path) \(measured)")
                    count += 1
                }
            }
        }
        #expect(count > 5_000, "measured \(count)")
    }

    @Test(.enabled(if: isSet("THUMBNAIL_LONG_TESTS")))
    func `pictures of a hundred megapixels take no more than their footprints`() async throws {
        for picture in Extreme.huge {
            for measured in try await Measured.all(picture.bytes, Self.requests) {
                #expect(measured.peak <= measured.footprint, "\(picture.name) \(measured)")
            }
        }
    }
}

private func isSet(_ name: String) -> Bool { unsafe getenv(name) != nil }

/// Pictures at the ends of what the format allows.
private struct Extreme {
    let name: String
    let bytes: [UInt8]

    /// Full of detail.
    private init(_ width: Int, _ height: Int, coefficients: Int) {
        name = "\(width)x\(height), 2x2 1x1 1x1, baseline, \(coefficients) coefficients a block"
        bytes = NoisePicture.bytes(width: width, height: height, coefficients: coefficients, seed: 1)
    }

    private init(_ width: Int, _ height: Int, _ factors: [(h: Int, v: Int)], progressive: Bool) {
        let sampling = factors.map { "\($0.h)x\($0.v)" }.joined(separator: " ")
        name = "\(width)x\(height), \(sampling), \(progressive ? "progressive" : "baseline")"
        bytes = FlatPicture.bytes(width: width, height: height, factors: factors, isProgressive: progressive)
    }

    /// Long and thin, and every way to sample chroma that an MCU of ten blocks can hold.
    static let all: [Extreme] = [false, true].flatMap { progressive in
        let subsampled = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4), (3, 1), (3, 2)]
        return [
            Extreme(1, 65_500, [(1, 1)], progressive: progressive),
            Extreme(65_500, 1, [(1, 1)], progressive: progressive),
            Extreme(65_500, 16, [(2, 2), (1, 1), (1, 1)], progressive: progressive),
            Extreme(1200, 900, [(1, 1), (1, 1), (1, 1), (1, 1)], progressive: progressive),
            Extreme(1200, 900, [(2, 2), (1, 1), (1, 1), (2, 2)], progressive: progressive),
            Extreme(1200, 900, [(1, 1), (2, 2), (1, 1)], progressive: progressive),
        ] + (progressive ? [] : detailed)
            + subsampled.map { Extreme(1200, 900, [$0, (1, 1), (1, 1)], progressive: progressive) }
    }

    /// Baseline pictures of which several parts are read at a time, with the place of each block of a row: wide ones
    /// have the most places, and 63 coefficients the longest blocks.
    private static let detailed = [
        Extreme(16_384, 64, coefficients: 20), Extreme(16_384, 64, coefficients: 63),
        Extreme(4096, 512, coefficients: 8),
    ]

    static let huge = [
        Extreme(10_000, 10_000, [(1, 1), (1, 1), (1, 1), (1, 1)], progressive: true),
        Extreme(10_000, 10_000, [(2, 2), (1, 1), (1, 1)], progressive: true),
        Extreme(10_000, 10_000, [(2, 2), (1, 1), (1, 1)], progressive: false),
        Extreme(65_500, 4_000, [(2, 1), (1, 1), (1, 1)], progressive: true),
    ]
}
