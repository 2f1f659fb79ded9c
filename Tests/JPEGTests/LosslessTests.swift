import Geometry
import JPEG
import TestSupport
import Testing

struct LosslessTests {
    /// The samples of a PGM or PPM file of ours: three numbers, then bytes.
    private func samples(_ name: String) -> [UInt8] { Array(Fixture.bytes(name).dropFirst(13)) }

    @Test(arguments: 1...7) func `each predictor gives back every sample`(predictor: Int) throws {
        let decoded = try Decoded(Fixture.bytes("lossless-grey-\(predictor).jpg"))
        #expect(decoded.outcome.condition == .complete)
        #expect(Array(decoded.planes[0].joined()) == samples("lossless-reference.pgm"))
    }

    @Test func `three components come as planes and as pixels`() throws {
        let file = Fixture.bytes("lossless-rgb.jpg")
        let reference = samples("lossless-reference.ppm")
        #expect(try Array(Decoded(file, asPixels: true).planes[0].joined()) == reference)
        #expect(
            try Array(Decoded(Fixture.bytes("lossless-ids-0-1-2.jpg"), asPixels: true).planes[0].joined())
                == reference)
        let planes = try Decoded(file).planes
        for (component, rows) in planes.enumerated() {
            let expected = stride(from: component, to: reference.count, by: 3).map { reference[$0] }
            #expect(Array(rows.joined()) == expected)
        }
    }

    @Test func `restarts start the prediction anew`() throws {
        let decoded = try Decoded(Fixture.bytes("lossless-restarts.jpg"))
        #expect(Array(decoded.planes[0].joined()) == samples("lossless-reference.pgm"))
    }

    @Test func `dropped bits are put back as zeros, and few bits stretched`() throws {
        let reference = samples("lossless-reference.pgm")
        let shifted = try Decoded(Fixture.bytes("lossless-shifted.jpg")).planes[0].joined()
        #expect(Array(shifted) == reference.map { $0 & 0xFC })
        let fourBits = try Decoded(Fixture.bytes("lossless-4-bit.jpg")).planes[0].joined()
        #expect(Array(fourBits) == reference.map { ($0 >> 4) * 17 })
    }

    @Test func `any scale is full size`() throws {
        let decoded = try Decoded(Fixture.bytes("lossless-grey-1.jpg"), at: .eighth)
        #expect(decoded.decoder.scale == .full)
        #expect(decoded.decoder.planes[0].samples == PixelSize(width: 37, height: 29))
        #expect(decoded.hasPromisedSizes)
    }

    @Test func `a cut file says how many rows are good`() throws {
        let decoded = try Decoded(Fixture.bytes("lossless-cut.jpg"), onDamage: .carryOn)
        guard case .truncated(let good, of: 29) = decoded.outcome.condition else {
            Issue.record("\(decoded.outcome.condition)")
            return
        }
        #expect(good > 3)
        let reference = samples("lossless-reference.pgm")
        #expect(Array(decoded.planes[0][..<good].joined()) == Array(reference[..<(good * 37)]))
    }
}
