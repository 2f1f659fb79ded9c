import Geometry
@testable import JPEG
@testable import ScaledJPEG
import ScaledOracle
import TestSupport
import Testing

/// Progressive files: the fast decoder against coefficients that are known, and against libjpeg-turbo.
struct ProgressiveTests {
    @Test(arguments: 0..<120)
    func `a generated file has the samples of the plain transform at every scale`(seed: UInt64) throws {
        var encoder = ProgressivePlainEncoder(random: seed)
        let file = try encoder.file()
        var plain = try PlainDecoder(file.bytes)
        plain.blocks = file.blocks
        try expectPlainSamples(plain, of: file.bytes, "seed \(seed)")
    }

    @Test(arguments: 0..<120)
    func `a generated file's samples at 1/8 are libjpeg's`(seed: UInt64) throws {
        var encoder = ProgressivePlainEncoder(random: 1000 + seed)
        let bytes = try encoder.file().bytes
        try expectLibjpegSamples(progressive(bytes, eighths: 1), of: bytes, "seed \(seed)")
    }

    @Test(arguments: 0..<60)
    func `the plain decoder finds the coefficients that were written`(seed: UInt64) throws {
        var encoder = ProgressivePlainEncoder(random: 2000 + seed)
        let file = try encoder.file()
        let plain = try PlainDecoder(file.bytes)
        for (index, component) in plain.frame.components.enumerated() {
            for row in 0..<component.blockRows {
                for column in 0..<component.blockColumns {
                    let block = row * component.storedColumns + column
                    #expect(plain.blocks[index][block] == file.blocks[index][block])
                }
            }
        }
    }

    @Test(arguments: 0..<60, 1...2)
    func `coefficients whose last bits are left out are in the middle of what they may be, zeros on a ramp`(
        seed: UInt64, unread: Int
    ) throws {
        var encoder = ProgressivePlainEncoder(random: 3000 + seed)
        encoder.coarseness = 1
        let file = try encoder.file()
        var plain = try PlainDecoder(file.bytes)
        for component in plain.blocks.indices {
            let sent = encoder.scans.filter { $0.components == [component] && $0.highBit == nil }
            for block in plain.blocks[component].indices {
                for position in 1..<64 {
                    // Left out are refinements only.
                    let first = sent.first { $0.band.contains(position) }?.lowBit ?? 0
                    let bit = 1 << min(unread, first)
                    let value = plain.blocks[component][block][position]
                    let known = value / bit * bit
                    plain.blocks[component][block][position] = known + known.signum() * (bit / 2)
                }
            }
            for position in 1..<64 {
                let first = sent.first { $0.band.contains(position) }?.lowBit ?? 0
                plain.estimateZeros(component, position, limit: 1 << min(unread, first) - 1)
            }
        }
        try expectPlainSamples(plain, of: file.bytes, unread: unread, "seed \(seed)")
    }

    @Test(arguments: 1...40)
    func `every small size has its rows and columns`(side: Int) throws {
        var encoder = ProgressivePlainEncoder(random: UInt64(side))
        for (width, height) in [(side, 1), (1, side), (side, side)] {
            (encoder.width, encoder.height) = (width, height)
            let bytes = try encoder.file().bytes
            try expectPlainSamples(PlainDecoder(bytes), of: bytes, "\(width)x\(height)")
        }
    }

    @Test(arguments: [0, 1, 50, 173]) func `a file of many windows decodes like any other`(interval: Int)
        throws
    {
        var encoder = ProgressivePlainEncoder(random: 5)
        (encoder.width, encoder.height) = (700, 500)
        (encoder.emptiness, encoder.coarseness) = (20, 1)
        encoder.sampling = [(h: 2, v: 2), (h: 1, v: 1), (h: 1, v: 1)]
        var random = SplitMix(seed: 7)
        encoder.scans = ProgressivePlainEncoder.script(components: 3, random: &random)
        for index in encoder.scans.indices { encoder.scans[index].restartInterval = interval }
        let bytes = try encoder.file().bytes
        try expectPlainSamples(PlainDecoder(bytes), of: bytes, "interval \(interval)")
    }

    @Test func `every fixture that is taken has libjpeg's samples at 1/8 and the plain ones above`() throws {
        for name in ["landscape-progressive.jpg", "landscape-grey-progressive.jpg"] {
            let bytes = Fixture.bytes(name)
            try expectLibjpegSamples(progressive(bytes, eighths: 1), of: bytes, name)
            try expectPlainSamples(PlainDecoder(bytes), of: bytes, name)
        }
    }

    @Test func `the plain decoder's full size is libjpeg's`() throws {
        for name in ["landscape-progressive.jpg", "landscape-grey-progressive.jpg"] {
            let bytes = Fixture.bytes(name)
            let samples = try PlainDecoder(bytes).samples(0, eighths: 8)
            let theirs = try libjpegSamples(bytes, at: .full)
            for (ours, theirs) in zip(samples, theirs.planes[0]) {
                #expect(
                    zip(ours, theirs).allSatisfy { abs(min(max($0, 0), 255) - Double($1)) < 1 }, "\(name)")
            }
        }
    }

    @Test func `every progressive file of the corpus has libjpeg's samples at 1/8 and the plain ones above`()
        throws
    {
        guard let corpus = Corpus() else { return }
        var taken = 0
        for row in corpus.manifest {
            guard let path = row["path"], row["coding"] == "progressive", let bytes = corpus.bytes(path)
            else { continue }
            do throws(Declined) {
                let picture = try progressive(bytes, eighths: 1)
                taken += 1
                expectLibjpegSamples(picture, of: bytes, path)
            } catch {
                // Broken files are for libjpeg to refuse.
                if !path.hasPrefix("broken/") { print("declined: \(path) \(error)") }
                continue
            }
            // The plain decoder takes minutes for the large ones.
            if bytes.count < 100_000 { try expectPlainSamples(PlainDecoder(bytes), of: bytes, path) }
        }
        #expect(taken > 15)
    }

    /// Compares with the plain transform of every coefficient.
    private func expectPlainSamples(
        _ plain: PlainDecoder, of bytes: [UInt8], unread: Int = 0, _ comment: String
    ) throws {
        for k in 1...4 {
            let picture = try progressive(bytes, eighths: k, unread: unread)
            let pairs = try progressive(bytes, eighths: k, unread: unread, fewestBlocks: .max)
            #expect(picture.samples == pairs.samples, "\(comment) at \(k)/8")
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

extension PlainDecoder {
    /// Replaces a coefficient's zeros by what the DC coefficients around let expect, when it is one of the
    /// three lowest.
    fileprivate mutating func estimateZeros(_ index: Int, _ position: Int, limit: Int) {
        let component = frame.components[index]
        func mean(_ x: Int, _ y: Int) -> Int {
            let column = min(max(x, 0), component.blockColumns - 1)
            let row = min(max(y, 0), component.blockRows - 1)
            return blocks[index][row * component.storedColumns + column][0]
        }
        for y in 0..<component.blockRows {
            for x in 0..<component.blockColumns {
                let block = y * component.storedColumns + x
                guard blocks[index][block][position] == 0 else { continue }
                let ramp: (difference: Int, weight: Int)
                switch position {
                case 1: ramp = (mean(x - 1, y) - mean(x + 1, y), 5990)
                case 2: ramp = (mean(x, y - 1) - mean(x, y + 1), 5990)
                case 4:
                    let above = mean(x - 1, y - 1) - mean(x + 1, y - 1)
                    ramp = (above - (mean(x - 1, y + 1) - mean(x + 1, y + 1)), 832)
                default: return
                }
                let size = (abs(ramp.difference) * 2 * ramp.weight / 65536 + 1) / 2
                let estimate = max(0, min(size, limit * 13 / 8 - size))
                blocks[index][block][position] = ramp.difference.signum() * estimate
            }
        }
    }
}

/// Decodes with the progressive decoder.
///
/// - Parameters:
///   - unread: bits of the AC coefficients that need not be read, of every component; nil = as many
///     as the decoder would leave out itself.
///   - fewestBlocks: of a component that is read by an automaton where its band is short.
func progressive(
    _ bytes: [UInt8], eighths k: Int, unread: Int? = 0, fewestBlocks: Int = 0
) throws(Declined) -> ScaledPicture {
    var segments = try SegmentReader(bytes.span)
    guard let scan = try segments.nextScan(in: bytes.span), let frame = segments.frame else {
        throw .suspect(.scan, offset: 0)
    }
    guard frame.isProgressive else { throw .unusual(.process) }
    return try ProgressiveDecoder.decode(
        bytes.span, frame, from: scan, segments, at: ComponentScales(k, of: frame),
        unread: unread.map { [Int](repeating: $0, count: frame.components.count) },
        fewestBlocks: fewestBlocks, shouldStop: { false })
}
