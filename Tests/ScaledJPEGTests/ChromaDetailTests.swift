import Geometry
@testable import ScaledJPEG
import ScaledOracle
import TestSupport
import Testing

/// Chroma of luma's size, decoded for those who halve it.
struct ChromaDetailTests {
    @Test(arguments: [
        ([(h: 1, v: 1), (h: 1, v: 1), (h: 1, v: 1)], [[1, 1, 1], [2, 1, 1], [3, 2, 2], [4, 2, 2]]),
        ([(h: 2, v: 2), (h: 2, v: 2), (h: 1, v: 1)], [[1, 1, 1], [2, 1, 2], [3, 2, 3], [4, 2, 4]]),
        ([(h: 2, v: 2), (h: 1, v: 2), (h: 2, v: 1)], [[1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]]),
        ([(h: 1, v: 1)], [[1], [2], [3], [4]]),
    ])
    func `only what is stored as large as luma comes at half of its scale`(
        sampling: [(h: Int, v: Int)], expected: [[Int]]
    ) throws {
        let frame = try FrameHeader(
            width: 100, height: 80, isProgressive: false,
            sampling.map { FrameHeader.Entry(id: 0, h: $0.h, v: $0.v, quantisation: 0) })
        for k in 1...4 {
            let scales = ComponentScales(k, of: frame, chroma: .halved)
            #expect(frame.components.indices.map { scales[$0] } == expected[k - 1])
            let full = ComponentScales(k, of: frame)
            #expect(frame.components.indices.allSatisfy { full[$0] == k })
        }
    }

    @Test(arguments: 0..<200)
    func `of a sequential file every plane is as at its own scale`(seed: UInt64) throws {
        var encoder = PlainEncoder(random: 50_000 + seed)
        if seed % 2 == 0 {
            encoder.sampling = [(h: 1, v: 1), (h: 1, v: 1), (h: 1, v: 1)]
            encoder.scans = seed % 4 == 0 ? [[0, 1, 2]] : [[0], [1, 2]]
            encoder.restartIntervals = encoder.scans.map { _ in Int(seed % 5) }
        }
        try expectPlanesOfTheirScales(encoder.file(), "seed \(seed)")
    }

    @Test(arguments: 0..<120)
    func `of a progressive file every plane is as at its own scale`(seed: UInt64) throws {
        var encoder = ProgressivePlainEncoder(random: 60_000 + seed)
        try expectPlanesOfTheirScales(encoder.file().bytes, "seed \(seed)")
    }

    private func expectPlanesOfTheirScales(_ bytes: [UInt8], _ comment: String) throws {
        var segments = try SegmentReader(bytes.span)
        _ = try segments.nextScan(in: bytes.span)
        let frame = try #require(segments.frame)
        let pictures = try ScaledDecoder.scales.sorted().map {
            try ScaledDecoder.decode(bytes.span, at: $0).samples
        }
        let forecast = try ScaledForecast(
            size: PixelSize(width: frame.width, height: frame.height),
            sampling: frame.components.map { ($0.h, $0.v) }, isProgressive: frame.isProgressive)
        for scale in ScaledDecoder.scales {
            let scales = ComponentScales(scale.eighths, of: frame, chroma: .halved)
            let halved = try ScaledDecoder.decode(bytes.span, at: scale, chroma: .halved)
            for (index, samples) in halved.samples.enumerated() {
                let expected = pictures[scales[index] - 1][index]
                #expect(samples == expected, "\(comment), component \(index) at \(scale.eighths)/8")
                let extent = forecast.planes(at: scale, chroma: .halved)[index]
                #expect(extent.rows == samples.count && extent.columns == samples.first?.count)
            }
        }
    }
}
