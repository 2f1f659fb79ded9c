import Geometry
import JPEG
@testable import ScaledJPEG
import TestSupport
import Testing

/// What lanes find ahead of the reader, and when they give up.
struct LaneLookaheadTests {
    @Test func `of a picture nearly all blocks are found ahead`() throws {
        let scan = try decoded(picture(), LanePlan(isAlways: true))
        let known = try #require(scan.known)
        #expect(known.unitsRead > 64 * 64 * 9 / 10)
        #expect(!known.isHopeless)
    }

    @Test(arguments: [0, 50])
    func `where all components share their tables nearly all blocks are found, too`(interval: Int) throws {
        let scan = try decoded(sharedTables(interval), LanePlan(isAlways: true))
        let known = try #require(scan.known)
        #expect(known.unitsRead > 50 * 38 * 9 / 10)
        #expect(!known.isHopeless)
    }

    @Test func `lanes are given up where streams never resynchronise, and all is decoded`() throws {
        let bytes = try checkerboard()
        let scan = try decoded(bytes, LanePlan(isAlways: true))
        let known = try #require(scan.known)
        #expect(known.isHopeless)
        let picture = try sequential(bytes, eighths: 1)
        expectLibjpegSamples(picture, of: bytes, "checkerboard")
    }

    @Test func `a small file is decoded without lanes`() throws {
        let scan = try decoded(Fixture.bytes("grey-2x2.jpg"), LanePlan())
        #expect(scan.known == nil)
    }

    @Test func `pieces begin at every restart marker and share out what is between`() {
        let plan = LanePlan(chunk: 1000, overlap: 10, least: 1)
        let pieces = plan.pieces(from: 3, [500, 4000], end: 4100, room: 1 << 20, leastBits: 2)
        #expect(pieces.map(\.start) == [3, 4000, 12_000, 20_000, 32_000])
        #expect(pieces.map(\.limit) == [4001, 12_080, 20_080, 32_001, 32_801])
    }

    @Test func `what has no room is left for the next plan`() {
        let restarts = Array(1...1000)
        let all = LanePlan().pieces(from: 0, restarts, end: 1001, room: 1 << 20, leastBits: 2)
        let some = LanePlan().pieces(from: 0, restarts, end: 1001, room: 100, leastBits: 2)
        #expect(all.count == 1001)
        #expect(some.count > 0 && some.count < 10)
        #expect(
            some.last.map { $0.words + LanePlan.words(from: $0.start, to: $0.limit, leastBits: 2) <= 100 }
                == true)
    }

    /// Soft hills under noise; 64 × 64 MCUs.
    private func picture() throws -> [UInt8] {
        var random = SplitMix(seed: 9)
        let size = PixelSize(width: 1024, height: 1024)
        let luma = (0..<size.pixelCount).map { index in
            UInt8((index % 1024 / 8 + index / 1024 / 16) % 200 + Int.random(in: 0...50, using: &random))
        }
        let chroma = (0..<size.pixelCount / 4).map { index in
            UInt8(100 + index % 512 / 16 + Int.random(in: 0...20, using: &random))
        }
        return try JPEGEncoder(quality: 90).encode(
            size: size, luma: luma.span, lumaStride: size.width, blue: chroma.span, red: chroma.span,
            chromaStride: size.width / 2)
    }

    /// Random coefficients, most of them zero; 50 × 38 MCUs.
    private func sharedTables(_ interval: Int) -> [UInt8] {
        var encoder = PlainEncoder(random: 6)
        (encoder.width, encoder.height) = (800, 600)
        (encoder.sampling, encoder.scans) = ([(h: 2, v: 2), (h: 1, v: 1), (h: 1, v: 1)], [[0, 1, 2]])
        (encoder.emptiness, encoder.coarseness, encoder.skew) = (80, 16, 20)
        encoder.restartIntervals = [interval]
        return encoder.file()
    }

    /// Black and white pixels in turns: all blocks alike.
    private func checkerboard() throws -> [UInt8] {
        let size = PixelSize(width: 2048, height: 1024)
        let luma = (0..<size.pixelCount).map { UInt8(($0 / size.width + $0) % 2 * 255) }
        let chroma = [UInt8](repeating: 128, count: size.pixelCount / 4)
        return try JPEGEncoder(quality: 90).encode(
            size: size, luma: luma.span, lumaStride: size.width, blue: chroma.span, red: chroma.span,
            chromaStride: size.width / 2)
    }

    /// The only scan of a file, decoded.
    private func decoded(_ bytes: [UInt8], _ lanes: LanePlan) throws -> SequentialScan {
        var segments = try SegmentReader(bytes.span)
        let header = try #require(try segments.nextScan(in: bytes.span))
        let frame = try #require(segments.frame)
        let planes = frame.components.map { ScaledPlane($0, of: frame, eighths: 1) }
        var scan = try SequentialScan(
            header, of: frame, segments.tables, at: ComponentScales(1, of: frame), lanes: lanes,
            fileLength: bytes.count)
        _ = try scan.decode(bytes.span, into: planes, shouldStop: { false })
        return scan
    }
}
