import Geometry
import JPEG
import TestSupport
import Testing

private func header(_ name: String) throws(JPEGError) -> JPEGHeader {
    try JPEGHeader(parsing: Fixture.bytes(name).span)
}

struct HeaderWalkTests {
    @Test func `a plain file tells size, process and components`() throws {
        let found = try header("landscape-420.jpg")
        #expect(found.size == PixelSize(width: 640, height: 427))
        #expect(found.process.kind == .baseline)
        #expect(found.precision == 8)
        #expect(found.components.map(\.h) == [2, 1, 1])
        #expect(found.components.map(\.v) == [2, 1, 1])
        #expect(found.colour == .yCbCr)
        #expect(!found.isMultiScan)
        #expect(found.notes == [])
    }

    @Test func `progressive and separate scans are multi-scan`() throws {
        #expect(try header("landscape-progressive.jpg").isMultiScan)
        #expect(try header("landscape-grey-progressive.jpg").isMultiScan)
        #expect(try header("scans-separate.jpg").isMultiScan)
        #expect(try !header("landscape-grey.jpg").isMultiScan)
    }

    @Test func `restart interval is told`() throws {
        #expect(try header("landscape-restarts.jpg").restartInterval == 40)
        #expect(try header("landscape-420.jpg").restartInterval == 0)
    }

    @Test(arguments: [
        ("landscape-420", JPEGHeader.ColourModel.yCbCr), ("landscape-grey", .grey), ("landscape-rgb", .rgb),
        ("rgb-ids", .rgb), ("rgb-adobe", .rgb), ("jfif-and-adobe-0", .yCbCr), ("ids-0-1-2", .yCbCr),
        ("cmyk-plain", .cmyk), ("cmyk-adobe", .cmyk), ("ycck-adobe", .ycck), ("adobe-transform-7", .yCbCr),
        ("components-2", .unknown), ("lossless-rgb", .rgb),
    ])
    func `colours are what libjpeg takes them for`(name: String, colour: JPEGHeader.ColourModel) throws {
        #expect(try header(name + ".jpg").colour == colour)
    }

    @Test func `Adobe's marker is remembered and an unknown transform noted`() throws {
        #expect(try header("cmyk-adobe.jpg").hasAdobeMarker)
        #expect(try !header("cmyk-plain.jpg").hasAdobeMarker)
        #expect(try header("adobe-transform-7.jpg").notes.contains(.guessedColourTransform))
    }

    @Test(arguments: [
        ("bytes-between-segments", JPEGHeader.Note.bytesBetweenSegments),
        ("bytes-after-start", .bytesBetweenSegments), ("wrong-scan-parameters", .wrongScanParameters),
        ("multi-picture", .multiplePictures), ("no-huffman-tables", .standardHuffmanTables),
        ("exif-twice", .severalExifSegments),
    ])
    func `oddities are notes and not errors`(name: String, note: JPEGHeader.Note) throws {
        let found = try header(name + ".jpg")
        #expect(found.notes == [note])
        #expect(found.size.width > 0)
    }

    @Test(arguments: ["fill-bytes", "empty-huffman-table", "restart-marker-before-scan", "app-segments-2000"])
    func `what the standard allows is not even a note`(name: String) throws {
        #expect(try header(name + ".jpg").notes == [])
    }

    @Test func `metadata is found wherever it stands`() throws {
        let file = Fixture.bytes("exif-after-xmp.jpg")
        let found = try JPEGHeader(parsing: file.span)
        let exif = try #require(found.exif)
        let xmp = try #require(found.xmp)
        #expect(file[exif].starts(with: Array("Exif\0\0".utf8)))
        #expect(file[xmp].starts(with: Array("<?xpacket".utf8)))
        #expect(try header("exif-after-tables.jpg").exif != nil)
        #expect(try header("landscape-420.jpg").exif == nil)
    }

    @Test func `the first scan is where its marker stands`() throws {
        let file = Fixture.bytes("exif-after-xmp.jpg")
        let start = try JPEGHeader(parsing: file.span).firstScan
        #expect(Array(file[start..<start + 2]) == [0xFF, 0xDA])
    }

    @Test(arguments: [
        ("empty", JPEGError.notAJPEG), ("not-a-picture", .notAJPEG), ("png-named", .notAJPEG),
        ("gif-named", .notAJPEG), ("height-0-dnl", .unsupported(.heightAfterScan)),
        ("width-0", .malformed(.emptyPicture)), ("hierarchical", .unsupported(.hierarchical)),
        ("two-starts", .malformed(.secondStartOfImage(offset: 2))),
        ("sampling-0", .malformed(.samplingFactors(component: 0))),
    ])
    func `a refusal says why`(name: String, error: JPEGError) {
        #expect(throws: error) { try header(name + ".jpg") }
    }

    @Test func `structure that contradicts itself is malformed`() {
        for name in ["two-frames", "scan-before-frame", "no-scan"] {
            do throws(JPEGError) {
                _ = try header(name + ".jpg")
                Issue.record("\(name) was accepted")
            } catch .malformed {
                continue
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }

    @Test func `a file that ends inside its header is truncated`() {
        for name in ["header-cut", "segment-beyond-end"] {
            let file = Fixture.bytes(name + ".jpg")
            #expect(throws: JPEGError.truncatedHeader(length: file.count)) {
                try JPEGHeader(parsing: file.span)
            }
        }
    }

    @Test func `unsupported kinds are refused by name`() throws {
        #expect(throws: JPEGError.unsupported(.precision(bits: 12))) {
            try header("twelve-bit.jpg").checkDecodable()
        }
        #expect(throws: JPEGError.unsupported(.precision(bits: 16))) {
            try header("lossless-16-bit.jpg").checkDecodable()
        }
        #expect(throws: JPEGError.unsupported(.componentCount(2))) {
            try header("components-2.jpg").checkDecodable()
        }
        let arithmetic = try header("arithmetic-lossless.jpg")
        #expect("\(arithmetic.process)" == "lossless, arithmetic")
        #expect(throws: JPEGError.unsupported(.process(arithmetic.process))) {
            try arithmetic.checkDecodable()
        }
    }

    @Test func `a cut at every byte ends in an error or a header, never in a trap`() {
        let file = Fixture.bytes("exif-after-xmp.jpg")
        for length in 0..<1200 {
            do throws(JPEGError) {
                let found = try JPEGHeader(parsing: file.span.extracting(first: length))
                #expect(found.firstScan < length)
            } catch {
                #expect(error == .notAJPEG || error == .truncatedHeader(length: length))
            }
        }
    }

    @Test func `any byte of a header may be anything`() {
        var file = Array(Fixture.bytes("landscape-420.jpg").prefix(700))
        for index in file.indices {
            let kept = file[index]
            for byte in [0, 1, 2, 0x7F, 0xC2, 0xD9, 0xDA, 0xE1, 0xFF] as [UInt8] {
                file[index] = byte
                do throws(JPEGError) {
                    let found = try JPEGHeader(parsing: file.span)
                    #expect(found.size.width > 0 && found.size.height > 0)
                } catch {
                    #expect(!"\(error)".isEmpty)
                }
            }
            file[index] = kept
        }
    }

    @Test func `long segments are passed over without being read`() throws {
        let file = Fixture.bytes("landscape-420.jpg")
        var long = Array(file[..<20])
        for _ in 0..<100 { long += [0xFF, 0xE5, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 65533) }
        long += file[20...]
        var walk = HeaderWalk()
        var read = 0
        while true {
            let window = walk.wanted.clamped(to: 0..<long.count)
            read += window.count
            if let found = try walk.take(long.span.extracting(window)) {
                #expect(found.size.width == 640)
                break
            }
        }
        #expect(read <= 110 * HeaderWalk.windowLength)
    }

    @Test func `a hundred thousand segments take a moment`() throws {
        let file = Fixture.bytes("landscape-420.jpg")
        var many = Array(file[..<20])
        for _ in 0..<100_000 { many += [0xFF, 0xE1, 0x00, 0x02] }
        many += file[20...]
        let start = ContinuousClock.now
        #expect(try JPEGHeader(parsing: many.span).size.width == 640)
        #expect(start.duration(to: .now) < .seconds(1))
    }

    @Test func `endless rubbish is given up`() {
        var rubbish = [UInt8](repeating: 0x11, count: HeaderWalk.mostBytesRead + HeaderWalk.windowLength)
        rubbish[0] = 0xFF
        rubbish[1] = 0xD8
        #expect(throws: JPEGError.headerTooLong(limit: HeaderWalk.mostBytesRead)) {
            try JPEGHeader(parsing: rubbish.span)
        }
    }
}
