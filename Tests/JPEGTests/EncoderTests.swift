import Geometry
import TestSupport
import Testing

@testable import JPEG

struct EncoderTests {
    /// Planes of a picture with something different everywhere.
    private struct Planes {
        let size: PixelSize
        let luma: [UInt8]
        let blue: [UInt8]
        let red: [UInt8]
        let stride: Int

        init(width: Int, height: Int, stride: Int? = nil) {
            size = PixelSize(width: width, height: height)
            let rowLength = stride ?? width
            self.stride = rowLength
            luma = (0..<rowLength * height).map { UInt8(60 + ($0 % rowLength + $0 / rowLength * 2) % 120) }
            let chroma = ((width + 1) / 2) * ((height + 1) / 2)
            blue = (0..<chroma).map { UInt8(100 + $0 % 40) }
            red = (0..<chroma).map { UInt8(150 - $0 % 40) }
        }

        func encode(_ encoder: JPEGEncoder) throws(JPEGError) -> [UInt8] {
            try encoder.encode(
                size: size, luma: luma.span, lumaStride: stride, blue: blue.span, red: red.span,
                chromaStride: (size.width + 1) / 2)
        }
    }

    @Test(arguments: [1, 2, 7, 8, 16, 17, 99], [1, 2, 15, 64])
    func `any size comes back as it was, within the bound`(width: Int, height: Int) throws {
        let planes = Planes(width: width, height: height)
        let file = try planes.encode(JPEGEncoder(quality: 80))
        #expect(file.count <= JPEGEncoder.encodedBound(planes.size, quality: 80))
        let decoded = try Decoded(file)
        #expect(decoded.header.size == planes.size)
        #expect(decoded.header.components.map(\.h) == [2, 1, 1])
        #expect(decoded.outcome.condition == .complete)
        #expect(decoded.outcome.notes == [])
    }

    @Test func `planes come back nearly as they went in`() throws {
        let planes = Planes(width: 99, height: 61, stride: 120)
        let decoded = try Decoded(planes.encode(JPEGEncoder(quality: 100)))
        for (y, row) in decoded.planes[0].enumerated() {
            for (x, sample) in row.enumerated() {
                #expect(abs(Int(sample) - Int(planes.luma[y * 120 + x])) <= 2)
            }
        }
    }

    @Test func `the same planes give the same bytes`() throws {
        let planes = Planes(width: 201, height: 133)
        #expect(try planes.encode(JPEGEncoder(quality: 80)) == planes.encode(JPEGEncoder(quality: 80)))
    }

    @Test func `higher quality takes more bytes`() throws {
        let planes = Planes(width: 200, height: 200)
        let sizes = try [10, 50, 80, 95].map { try planes.encode(JPEGEncoder(quality: $0)).count }
        #expect(sizes == sizes.sorted())
    }

    @Test func `one plane makes a grey picture`() throws {
        let planes = Planes(width: 33, height: 21)
        let file = try JPEGEncoder(quality: 90).encodeGrey(
            size: planes.size, luma: planes.luma.span, stride: planes.stride)
        let decoded = try Decoded(file)
        #expect(decoded.header.colour == .grey)
        #expect(decoded.header.size == planes.size)
    }

    @Test(arguments: [1, 600, 65519, 65520, 200_000])
    func `a profile is embedded byte for byte, in as many chunks as it takes`(count: Int) throws {
        let profile = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let planes = Planes(width: 40, height: 30)
        let file = try planes.encode(JPEGEncoder(quality: 80, iccProfile: profile))
        let header = try JPEGHeader(parsing: file.span)
        #expect(header.iccChunks.count == (count + 65518) / 65519)
        #expect(ICCProfile.assemble(header, in: file.span) == profile)
        let plain = try planes.encode(JPEGEncoder(quality: 80))
        #expect(try Decoded(file).planes == Decoded(plain).planes)
        #expect(file.starts(with: plain[..<20]) && file.suffix(200) == plain.suffix(200))
    }

    @Test func `nothing but the picture is written`() throws {
        let file = try Planes(width: 40, height: 30).encode(JPEGEncoder(quality: 80))
        let header = try JPEGHeader(parsing: file.span)
        #expect(header.exif == nil && header.xmp == nil && header.iccChunks.isEmpty)
        #expect(header.notes == [])
    }

    /// TurboJPEG is not told how large the buffer is, so a smaller one would be overrun. Of a small picture the file
    /// is copied out of its buffer; there the encoder itself looks.
    @Test(arguments: [1, 80, 100])
    func `the buffer has all the room that TurboJPEG takes for granted`(quality: Int) throws {
        for (width, height) in [(1, 1), (17, 9), (577, 607), (640, 600)] {
            let planes = Planes(width: width, height: height)
            for profile in [nil, [UInt8](repeating: 1, count: 70_000)] {
                let encoder = JPEGEncoder(quality: quality, iccProfile: profile)
                let room =
                    JPEGEncoder.bufferBytes(planes.size)
                    + JPEGEncoder.profileSegmentsBytes(profile?.count ?? 0)
                let colour = try planes.encode(encoder)
                let grey = try encoder.encodeGrey(
                    size: planes.size, luma: planes.luma.span, stride: planes.stride)
                guard room > 1 << 20 else { continue }
                #expect(colour.capacity >= room && grey.capacity >= room)
            }
        }
    }

    /// Black and white noise is the worst picture known; a fifth of the room is left above it.
    @Test func `noise stays well within the bound at every quality`() throws {
        var seed: UInt64 = 7
        func noise(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1
                return seed >> 63 == 0 ? 0 : 255
            }
        }
        let size = PixelSize(width: 256, height: 256)
        let (luma, blue, red) = (noise(256 * 256), noise(128 * 128), noise(128 * 128))
        for quality in 1...100 {
            let file = try JPEGEncoder(quality: quality).encode(
                size: size, luma: luma.span, lumaStride: 256, blue: blue.span, red: red.span,
                chromaStride: 128)
            let bound = JPEGEncoder.encodedBound(size, quality: quality)
            #expect(quality > 90 ? file.count <= bound : file.count * 6 <= bound * 5, "quality \(quality)")
        }
    }
}

struct FixtureTests {
    @Test func `the fixtures are all there`() {
        for value in 1...8 { #expect(!Fixture.bytes("orientation-\(value).jpg").isEmpty) }
        #expect(Fixture.bytes("empty.jpg").isEmpty)
        #expect(Fixture.bytes("profile.icc").count > 100)
    }
}
