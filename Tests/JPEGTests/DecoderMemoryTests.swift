import Geometry
import JPEG
import TestSupport
import Testing

struct DecoderMemoryTests {
    private static let names = [
        "landscape-420", "portrait-422", "square-444", "landscape-grey", "landscape-progressive",
        "landscape-grey-progressive", "landscape-rgb", "sampling-410", "sampling-422-as-221212",
        "sampling-luma-below-chroma", "ycck-2112", "scans-separate", "grey-2x2",
    ]

    @Test(arguments: names, DecodeScale.allCases)
    func `a decode takes no more than its estimate, and not much less`(name: String, scale: DecodeScale)
        throws
    {
        let file = Fixture.bytes(name + ".jpg")
        let planes = try Decoded(file, at: scale)
        #expect(planes.outcome.allocatedBytes <= planes.header.decoderBytes(at: scale))
        #expect(planes.outcome.allocatedBytes + (64 << 10) >= planes.header.decoderBytes(at: scale))
        let pixels = try Decoded(file, at: scale, asPixels: true)
        #expect(pixels.outcome.allocatedBytes <= pixels.header.pixelDecoderBytes(at: scale))
    }

    @Test func `less memory than needed is an error and not an overrun`() throws {
        for name in ["landscape-420", "landscape-progressive", "lossless-rgb"] {
            let file = Fixture.bytes(name + ".jpg")
            for limit in [0, 1000, 20_000] {
                #expect(throws: JPEGError.memoryLimit(limit: limit)) {
                    try Decoded(file, memoryLimit: limit)
                }
            }
        }
        #expect(throws: JPEGError.memoryLimit(limit: 700_000)) {
            try Decoded(Fixture.bytes("landscape-progressive.jpg"), memoryLimit: 700_000)
        }
    }

    @Test func `258 bytes that claim gigabytes are known as such from the header`() throws {
        let file = Fixture.bytes("bomb.jpg")
        #expect(file.count == 258)
        let header = try JPEGHeader(parsing: file.span)
        #expect(header.coefficientBytes > 25_000_000_000)
        #expect(throws: JPEGError.memoryLimit(limit: 1 << 20)) { try Decoded(file, memoryLimit: 1 << 20) }
    }
}
