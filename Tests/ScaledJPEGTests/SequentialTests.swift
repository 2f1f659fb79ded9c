import Geometry
@testable import JPEG
@testable import ScaledJPEG
import TestSupport
import Testing

/// Sequential files: the fast engine against the plain decoder, and against libjpeg-turbo.
struct SequentialTests {
    @Test(arguments: 0..<400)
    func `a generated file has the samples of the plain transform at every scale`(seed: UInt64) throws {
        var encoder = PlainEncoder(random: seed)
        try expectPlainSamples(of: encoder.file(), "seed \(seed)")
    }

    @Test(arguments: 0..<200)
    func `a generated file's samples at 1/8 are libjpeg's`(seed: UInt64) throws {
        var encoder = PlainEncoder(random: 1000 + seed)
        let bytes = encoder.file()
        try expectLibjpegSamples(sequential(bytes, eighths: 1), of: bytes, "seed \(seed)")
    }

    @Test(arguments: 1...40)
    func `every small size has its rows and columns`(side: Int) throws {
        var encoder = PlainEncoder(random: UInt64(side))
        for (width, height) in [(side, 1), (1, side), (side, side)] {
            encoder.width = width
            encoder.height = height
            try expectPlainSamples(of: encoder.file(), "\(width)x\(height)")
        }
    }

    @Test(arguments: [0, 1, 50, 173]) func `a file of many windows decodes like any other`(interval: Int)
        throws
    {
        var encoder = PlainEncoder(random: 5)
        (encoder.width, encoder.height) = (400, 300)
        (encoder.sampling, encoder.scans) = ([(h: 2, v: 2), (h: 1, v: 1), (h: 1, v: 1)], [[0, 1, 2]])
        (encoder.emptiness, encoder.coarseness) = (20, 1)
        encoder.restartIntervals = [interval]
        let bytes = encoder.file()
        #expect(bytes.count > 2 * Stretch.unstuffed)
        try expectPlainSamples(of: bytes, "interval \(interval)")
        try expectLibjpegSamples(sequential(bytes, eighths: 1), of: bytes, "interval \(interval)")
    }

    @Test func `a restart marker behind every byte is as good as none`() throws {
        var encoder = PlainEncoder(random: 6)
        (encoder.width, encoder.height) = (1000, 800)
        (encoder.sampling, encoder.scans, encoder.restartIntervals) = ([(h: 1, v: 1)], [[0]], [1])
        (encoder.emptiness, encoder.coarseness, encoder.skew) = (100, 1000, 0)
        let bytes = encoder.file()
        #expect(bytes.count > 3 * 12_500)
        try expectPlainSamples(of: bytes, "interval 1")
        expectLibjpegSamples(try sequential(bytes, eighths: 1), of: bytes, "interval 1")
    }

    @Test func `every fixture that is taken has libjpeg's samples at 1/8 and the plain ones above`() throws {
        for name in [
            "landscape-420.jpg", "landscape-grey.jpg", "landscape-restarts.jpg", "portrait-422.jpg",
            "square-444.jpg", "scans-separate.jpg", "scans-separate-restarts.jpg", "sampling-411.jpg",
            "sampling-440.jpg", "sampling-luma-below-chroma.jpg", "grey-2x2.jpg",
        ] {
            let bytes = Fixture.bytes(name)
            try expectLibjpegSamples(sequential(bytes, eighths: 1), of: bytes, name)
            try expectPlainSamples(of: bytes, name)
        }
    }

    @Test func `the plain decoder's full size is libjpeg's`() throws {
        for name in ["landscape-420.jpg", "landscape-restarts.jpg", "square-444.jpg", "scans-separate.jpg"] {
            let bytes = Fixture.bytes(name)
            let samples = try PlainDecoder(bytes).samples(0, eighths: 8)
            let theirs = try libjpegSamples(bytes, at: .full)
            for (ours, theirs) in zip(samples, theirs.planes[0]) {
                #expect(
                    zip(ours, theirs).allSatisfy { abs(min(max($0, 0), 255) - Double($1)) < 1 }, "\(name)")
            }
        }
    }

    @Test func `every sequential file of the corpus has libjpeg's samples at 1/8`() throws {
        guard let corpus = Corpus() else { return }
        var taken = 0
        for row in corpus.manifest {
            guard let path = row["path"], row["coding"] == "baseline" || row["coding"] == "extended-seq",
                let bytes = corpus.bytes(path)
            else { continue }
            do throws(Declined) {
                let picture = try sequential(bytes, eighths: 1)
                taken += 1
                expectLibjpegSamples(picture, of: bytes, path)
            } catch .suspect {
                #expect(libjpegFindsFault(in: bytes), "\(path) is declined for no reason")
            } catch {
                // Legal, and libjpeg's.
            }
        }
        #expect(taken > 100)
    }

    /// Compares with the plain transform of every coefficient.
    private func expectPlainSamples(of bytes: [UInt8], _ comment: String) throws {
        let plain = try PlainDecoder(bytes)
        for k in 1...4 {
            let picture = try sequential(bytes, eighths: k)
            #expect(picture.endOfImage == bytes.count)
            for (index, plane) in picture.planes.enumerated() {
                let expected = plain.samples(index, eighths: k)
                // Rounding costs half a level; above 2/8 the weights are rounded too.
                let bound = k > 2 ? 0.75 : 0.500_001
                for y in 0..<plane.rows {
                    let row = plane.withRow(y) { row in row.indices.map { Double(row[$0]) } }
                    let distance = zip(row, expected[y]).map { abs($0 - min(max($1, 0), 255)) }.max() ?? 0
                    #expect(distance <= bound, "\(comment), component \(index), row \(y) at \(k)/8")
                }
            }
        }
    }
}

/// Decodes with the sequential engine, at scales too that no caller has.
func sequential(_ bytes: [UInt8], eighths k: Int) throws(Declined) -> ScaledPicture {
    var segments = try SegmentReader(bytes.span)
    guard let scan = try segments.nextScan(in: bytes.span), let frame = segments.frame else {
        throw .suspect(.scan, offset: 0)
    }
    guard !frame.isProgressive else { throw .unusual(.process) }
    return try SequentialDecoder.decode(
        bytes.span, frame, from: scan, segments, at: ComponentScales(k, of: frame), shouldStop: { false })
}

/// What libjpeg-turbo makes of a file.
struct LibjpegSamples {
    let outcome: DecodeOutcome
    /// Rows of each component.
    let planes: [[[UInt8]]]
    /// Samples along a block's side.
    let blockSamples: [Int]
}

func libjpegSamples(_ bytes: [UInt8], at scale: DecodeScale) throws(JPEGError) -> LibjpegSamples {
    let header = try JPEGHeader(parsing: bytes.span)
    let decoder = try JPEGDecoder(header, scale: scale)
    var planes = [[[UInt8]]](repeating: [], count: header.components.count)
    let outcome = try decoder.decodePlanes(bytes.span, memoryLimit: header.decoderBytes(at: scale)) {
        component, _, samples in
        planes[component].append(samples.indices.map { samples[$0] })
        return .more
    }
    return LibjpegSamples(
        outcome: outcome, planes: planes,
        blockSamples: header.components.map { header.blockSamples(of: $0, at: scale) })
}

/// Whether libjpeg refuses a file, or has something to say about it.
func libjpegFindsFault(in bytes: [UInt8]) -> Bool {
    guard let header = try? JPEGHeader(parsing: bytes.span),
        let outcome = try? libjpegSamples(bytes, at: .eighth).outcome
    else { return true }
    return outcome.condition != .complete || !header.notes.union(outcome.notes).isEmpty
}

/// Expects libjpeg to decode the whole file to the same samples at 1/8; of components that it decodes
/// larger, since they are subsampled, nothing can be said.
func expectLibjpegSamples(_ picture: ScaledPicture, of bytes: [UInt8], _ comment: String) {
    do throws(JPEGError) {
        let theirs = try libjpegSamples(bytes, at: .eighth)
        #expect(theirs.outcome.condition == .complete, "\(comment)")
        for (index, plane) in picture.planes.enumerated() where theirs.blockSamples[index] == 1 {
            #expect(theirs.planes[index].count == plane.rows, "\(comment)")
            for y in 0..<plane.rows {
                let row = plane.withRow(y) { row in row.indices.map { row[$0] } }
                #expect(row == theirs.planes[index][y], "\(comment), component \(index), row \(y)")
            }
        }
    } catch {
        Issue.record("libjpeg refuses \(comment): \(error)")
    }
}
