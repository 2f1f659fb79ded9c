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
        for (found, expected) in zip(ycck.planes[0][4][16..<20].map(Int.init), [35, 215, 215, 255]) {
            #expect(abs(found - expected) <= 4)
        }
    }

    @Test(arguments: [
        ("no-end-of-image", JPEGHeader.Note.missingEndOfImage),
        ("no-end-of-image-progressive", .missingEndOfImage), ("no-end-then-trailer", .missingEndOfImage),
        ("trailing-data", .trailingData), ("two-pictures", .trailingData),
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

struct DamageTests {
    @Test func `a file cut in half says how many rows are good`() throws {
        let decoded = try Decoded(Fixture.bytes("cut-half.jpg"), onDamage: .carryOn)
        guard case .truncated(let good, of: 427) = decoded.outcome.condition else {
            Issue.record("\(decoded.outcome.condition)")
            return
        }
        #expect((150...300).contains(good))
        #expect(decoded.hasPromisedSizes)
        // They are good: the same as in the whole file.
        let whole = try Decoded(Fixture.bytes("landscape-420.jpg"))
        #expect(Array(decoded.planes[0][..<good]) == Array(whole.planes[0][..<good]))
        #expect(decoded.planes[0] != whole.planes[0])
    }

    @Test func `an end of image in the middle is as bad as the end of the file`() throws {
        let cut = try Decoded(Fixture.bytes("cut-half.jpg")).outcome.condition
        #expect(try Decoded(Fixture.bytes("cut-half-with-end.jpg")).outcome.condition == cut)
        #expect(cut != .complete)
    }

    @Test func `a cut at a restart marker is truncation`() throws {
        guard
            case .truncated(let good, of: 427) =
                try Decoded(Fixture.bytes("cut-at-restart.jpg"), onDamage: .carryOn).outcome.condition
        else {
            Issue.record("not truncated")
            return
        }
        #expect(good == 64)
    }

    @Test func `a progressive file cut before its last scan has no good rows`() throws {
        let early = try Decoded(Fixture.bytes("cut-progressive-early.jpg"), onDamage: .carryOn)
        #expect(early.outcome.condition == .truncated(rowsGood: 0, of: 427))
        #expect(early.hasPromisedSizes)
    }

    @Test func `a progressive file cut in its last scan has the rows that it reached`() throws {
        let late = try Decoded(Fixture.bytes("cut-progressive-late.jpg"), onDamage: .carryOn)
        guard case .truncated(let good, of: 427) = late.outcome.condition else {
            Issue.record("\(late.outcome.condition)")
            return
        }
        let whole = try Decoded(Fixture.bytes("landscape-progressive.jpg"))
        #expect(good > 0)
        #expect(Array(late.planes[0][..<good]) == Array(whole.planes[0][..<good]))
    }

    @Test func `changed bytes are damage, with the rows above them`() throws {
        for name in ["damaged", "restart-missing"] {
            let decoded = try Decoded(Fixture.bytes(name + ".jpg"), onDamage: .carryOn)
            guard case .damaged(let good, of: 427) = decoded.outcome.condition else {
                Issue.record("\(name): \(decoded.outcome.condition)")
                continue
            }
            let whole = try Decoded(Fixture.bytes("landscape-restarts.jpg"))
            #expect(good >= 64)
            #expect(Array(decoded.planes[0][..<good]) == Array(whole.planes[0][..<good]))
        }
    }

    @Test func `a component without a scan is damage`() throws {
        let decoded = try Decoded(Fixture.bytes("scans-without-chroma.jpg"))
        #expect(decoded.outcome.condition == .damaged(rowsGood: 0, of: 45))
    }

    @Test func `stopping at damage delivers no damaged row`() throws {
        let stopped = try Decoded(Fixture.bytes("cut-half.jpg"), onDamage: .stop)
        let carried = try Decoded(Fixture.bytes("cut-half.jpg"), onDamage: .carryOn)
        #expect(stopped.outcome.condition == carried.outcome.condition)
        let rows = stopped.planes[0].count
        #expect(rows < 427)
        #expect(stopped.planes[0] == Array(carried.planes[0][..<rows]))
    }

    @Test func `a cut at any byte is complete or says that it is not`() throws {
        let file = Fixture.bytes("sampling-420.jpg")
        let whole = try Decoded(file)
        for length in stride(from: whole.header.firstScan + 14, to: file.count, by: 7) {
            let decoded = try Decoded(Array(file[..<length]), onDamage: .carryOn)
            #expect(decoded.hasPromisedSizes)
            if decoded.outcome.condition == .complete { #expect(decoded.planes == whole.planes) }
        }
    }

    @Test func `picture data may be anything`() throws {
        for name in ["sampling-420", "scans-separate", "lossless-rgb", "landscape-grey-progressive"] {
            var file = Fixture.bytes(name + ".jpg")
            let start = try JPEGHeader(parsing: file.span).firstScan
            var seed: UInt64 = 1
            for _ in 0..<60 {
                for _ in 0..<8 {
                    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    file[start + Int(seed >> 33) % (file.count - start)] = UInt8(
                        truncatingIfNeeded: seed >> 20)
                }
                do throws(JPEGError) {
                    let decoded = try Decoded(file, at: .half, onDamage: .carryOn)
                    #expect(decoded.hasPromisedSizes)
                } catch {
                    #expect(!"\(error)".isEmpty)
                }
            }
        }
    }
}

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
        #expect(planes.outcome.allocatedBytes + (96 << 10) >= planes.header.decoderBytes(at: scale))
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
