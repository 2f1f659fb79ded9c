import Geometry
import JPEG
import TestSupport
import Testing

struct DecoderTests {
    @Test(arguments: DecodeScale.allCases)
    func `every sampling comes in planes of the promised size`(scale: DecodeScale) throws {
        for name in [
            "444", "422", "420", "440", "411", "410", "422-as-221212", "thirds", "luma-below-chroma",
        ] {
            let decoded = try Decoded(Fixture.bytes("sampling-\(name).jpg"), at: scale)
            #expect(decoded.outcome.condition == .complete, "\(name)")
            #expect(decoded.hasPromisedSizes, "\(name)")
        }
    }

    @Test func `planes are decoded even where libjpeg cannot upsample them`() throws {
        #expect(try Decoded(Fixture.bytes("sampling-fractional.jpg")).outcome.condition == .complete)
    }

    @Test func `the extent is the stored size scaled as real numbers`() throws {
        let header = try JPEGHeader(parsing: Fixture.bytes("sampling-420.jpg").span)  // 61x45
        let eighth = try JPEGDecoder(header, scale: .eighth)
        #expect(eighth.planes[0].samples == PixelSize(width: 8, height: 6))
        #expect(eighth.planes[0].extent.width == 61.0 / 8)
        #expect(eighth.planes[0].extent.height == 45.0 / 8)
        // Chroma at twice the scale: as large as luma, without upsampling.
        #expect(eighth.planes[1].samples == PixelSize(width: 8, height: 6))
        #expect(eighth.planes[1].extent.width == 61.0 / 8)
        let full = try JPEGDecoder(header, scale: .full)
        #expect(full.planes[1].samples == PixelSize(width: 31, height: 23))
        #expect(full.planes[1].extent.width == 30.5)
    }

    @Test func `each quadrant has its colour`() throws {
        let decoded = try Decoded(Fixture.bytes("untagged-1.jpg"), asPixels: true)
        let rows = decoded.planes[0]
        #expect(rows.count == 32 && rows[0].count == 64 * 3)
        let colours: [[UInt8]] = [[220, 40, 40], [40, 180, 60], [40, 70, 210], [240, 240, 230]]
        for (index, colour) in colours.enumerated() {
            let (x, y) = (index % 2 * 32 + 16, index / 2 * 16 + 8)
            let pixel = rows[y][x * 3..<x * 3 + 3]
            for (found, expected) in zip(pixel, colour) { #expect(abs(Int(found) - Int(expected)) <= 3) }
        }
    }

    @Test func `grey, RGB and CMYK pixels keep their channels`() throws {
        #expect(try Decoded(Fixture.bytes("landscape-grey.jpg"), asPixels: true).decoder.channels == 1)
        #expect(try Decoded(Fixture.bytes("rgb-ids.jpg"), asPixels: true).decoder.channels == 3)
        let cmyk = try Decoded(Fixture.bytes("cmyk-adobe.jpg"), asPixels: true)
        #expect(cmyk.decoder.channels == 4)
        // Inverted: what stands there is RGB, and full paper for black ink.
        let pixel = cmyk.planes[0][4][16..<20].map(Int.init)
        for (found, expected) in zip(pixel, [220, 40, 40, 255]) { #expect(abs(found - expected) <= 3) }
        let ycck = try Decoded(Fixture.bytes("ycck-adobe.jpg"), asPixels: true)
        for (found, expected) in zip(ycck.planes[0][4][16..<20].map(Int.init), [220, 40, 40, 255]) {
            #expect(abs(found - expected) <= 4)
        }
    }

    @Test(arguments: [
        ("no-end-of-image", JPEGHeader.Note.missingEndOfImage),
        ("no-end-of-image-progressive", .missingEndOfImage), ("no-end-then-trailer", .missingEndOfImage),
        ("bytes-between-scans", .bytesInsideScan), ("trailing-data", .trailingData),
        ("two-pictures", .trailingData),
        ("wrong-scan-parameters", .wrongScanParameters),
    ])
    func `what viewers forgive is complete with a note`(name: String, note: JPEGHeader.Note) throws {
        let decoded = try Decoded(Fixture.bytes(name + ".jpg"))
        #expect(decoded.outcome.condition == .complete)
        #expect(decoded.header.notes.union(decoded.outcome.notes) == [note])
        #expect(decoded.hasPromisedSizes)
    }

    @Test(arguments: [
        "no-end-then-trailer", "trailing-data", "two-pictures", "multi-picture", "bytes-between-segments",
        "bytes-after-start", "fill-bytes", "no-huffman-tables", "empty-huffman-table", "dnl-with-height",
        "restart-marker-before-scan", "app-segments-2000", "grey-2x2", "scans-separate",
        "scans-separate-restarts", "scans-500", "landscape-progressive", "landscape-grey-progressive",
        "landscape-restarts", "ycck-2112", "adobe-transform-7", "icc-duplicate",
    ])
    func `odd but sound files are complete`(name: String) throws {
        let decoded = try Decoded(Fixture.bytes(name + ".jpg"))
        #expect(decoded.outcome.condition == .complete)
        #expect(decoded.hasPromisedSizes)
    }

    @Test func `a file with the bytes of another picture behind it gives the first`() throws {
        let first = try Decoded(Fixture.bytes("untagged-1.jpg"))
        #expect(try Decoded(Fixture.bytes("two-pictures.jpg")).planes == first.planes)
        #expect(try Decoded(Fixture.bytes("multi-picture.jpg")).planes == first.planes)
        #expect(try Decoded(Fixture.bytes("wrong-scan-parameters.jpg")).planes == first.planes)
    }

    @Test func `the same file gives the same samples every time`() throws {
        for scale in DecodeScale.allCases {
            let file = Fixture.bytes("landscape-420.jpg")
            #expect(try Decoded(file, at: scale).planes == Decoded(file, at: scale).planes)
        }
    }

    @Test func `enough rows end the decode without an error`() throws {
        let file = Fixture.bytes("landscape-420.jpg")
        let header = try JPEGHeader(parsing: file.span)
        let decoder = try JPEGDecoder(header, scale: .full)
        var rows = 0
        let outcome = try decoder.decodePlanes(
            file.span, memoryLimit: header.decoderBytes(at: .full)
        ) { _, _, _ in
            rows += 1
            return rows == 5 ? .enough : .more
        }
        #expect(rows == 5)
        #expect(outcome.condition == .complete)
    }

    @Test(arguments: ["landscape-420", "landscape-progressive", "lossless-rgb"])
    func `a stop is heard before anything is done and in between`(name: String) throws {
        let file = Fixture.bytes(name + ".jpg")
        let header = try JPEGHeader(parsing: file.span)
        let decoder = try JPEGDecoder(header, scale: .full)
        for patience in 0..<12 {
            var asked = 0
            #expect(throws: JPEGError.stopped) {
                try decoder.decodePlanes(
                    file.span, memoryLimit: header.decoderBytes(at: .full),
                    shouldStop: {
                        asked += 1
                        return asked > patience
                    }, row: { _, _, _ in .more })
            }
            #expect(asked == patience + 1)
        }
    }
}
