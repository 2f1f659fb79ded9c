import Exif
import Geometry
import TestSupport
import Testing

/// What a file's metadata says, by a walk over its segments that the tests keep for themselves.
private func orientation(of name: String) -> ExifOrientation { orientation(in: Fixture.bytes(name)) }

private func orientation(in file: [UInt8]) -> ExifOrientation {
    var exif: Range<Int>?
    var xmp: Range<Int>?
    var position = 2
    while position + 4 < file.count, file[position] == 0xFF, file[position + 1] != 0xDA {
        let end = position + 2 + Int(file[position + 2]) << 8 + Int(file[position + 3])
        let payload = position + 4..<end
        if file[position + 1] == 0xE1, payload.count >= 4 {
            let start = String(decoding: file[payload.prefix(4)], as: UTF8.self)
            if start == "Exif", exif == nil { exif = payload }
            if start == "http", xmp == nil { xmp = payload.dropFirst(29) }
        }
        position = end
    }
    let span = file.span
    return ExifOrientation.find(
        exif: exif == nil ? nil : span.extracting(exif!), xmp: xmp == nil ? nil : span.extracting(xmp!))
}

struct ExifOrientationTests {
    @Test(arguments: 1...8) func `each orientation is found in either byte order`(value: Int) {
        let found = orientation(of: "orientation-\(value).jpg")
        #expect(found.value.rawValue == value)
        #expect(found.source == .exif)
    }

    @Test func `a thumbnail outside of its block does not hide the orientation`() {
        let found = orientation(of: "exif-thumbnail-out-of-range.jpg")
        #expect(found.value == .right)
        // Either by libexif, should Debian repair it, or by our scan.
        #expect([.exif, .exifScan].contains(found.source))
    }

    @Test(arguments: [
        "exif-after-xmp", "exif-byte", "exif-long-big-endian", "exif-count-2", "exif-zero-rational",
        "exif-twice", "exif-before-jfif", "exif-after-tables",
    ])
    func `an unusual place or type is still an orientation`(name: String) {
        #expect(orientation(of: name + ".jpg").value == .right)
        #expect([.exif, .exifScan].contains(orientation(of: name + ".jpg").source))
    }

    @Test(arguments: [0, 9, 255, 65535]) func `a value out of range is up and invalid`(value: Int) {
        let found = orientation(of: "exif-value-\(value).jpg")
        #expect(found.value == .up)
        #expect(found.source == .invalid)
    }

    @Test(arguments: [
        "exif-ifd1-only", "exif-cut-entry", "exif-swapped-magic", "exif-offset-0", "exif-offset-beyond",
        "exif-empty", "exif-makernote-orientation", "untagged-1",
    ])
    func `where IFD0 says nothing the picture is up`(name: String) {
        #expect(orientation(of: name + ".jpg") == orientation(of: "untagged-1.jpg"))
        #expect(orientation(of: name + ".jpg").value == .up)
        #expect(orientation(of: name + ".jpg").source == .absent)
    }

    @Test func `the thumbnail's orientation does not count`() {
        let found = orientation(of: "exif-ifd1-differs.jpg")
        #expect(found.value == .up)
        #expect(found.source == .exif)
    }

    @Test(arguments: ["xmp-attribute", "xmp-element", "xmp-beside-empty-exif"])
    func `XMP speaks where Exif is silent`(name: String) {
        let found = orientation(of: name + ".jpg")
        #expect(found.value == .right)
        #expect(found.source == .xmp)
    }

    @Test func `XMP out of range is up and invalid`() {
        #expect(orientation(of: "xmp-invalid.jpg").value == .up)
        #expect(orientation(of: "xmp-invalid.jpg").source == .invalid)
    }

    @Test(arguments: [
        "tiff:Orientation=\"6\"", " tiff:Orientation", " tiff:Orientation=6", "</tiff:Orientation>6",
        " tiff:OrientationFlag=\"6\"", " tiff:Orientation=\"", " tiff:Orientation=\"six\"",
    ])
    func `XMP that only looks like an orientation is none`(text: String) {
        let bytes = Array(text.utf8)
        #expect(ExifOrientation.find(exif: nil, xmp: bytes.span).source == .absent)
    }

    @Test func `a block cut anywhere is never an error`() {
        let file = Fixture.bytes("exif-thumbnail-out-of-range.jpg")
        let block = Array(file[24..<80])
        #expect(ExifOrientation.find(exif: block.span, xmp: nil).value == .right)
        for length in 0..<block.count {
            let found = ExifOrientation.find(exif: block.span.extracting(first: length), xmp: nil)
            #expect(found.value == .up || found.value == .right)
        }
    }

    @Test func `a directory of thousands of entries that share one long value is harmless`() {
        // IFD0 from byte 8 to the end; every entry an ASCII string of 60,000 bytes at offset 8.
        var block = Array("Exif\0\0MM\0*\0\0\0\u{8}".utf8) + [0x14, 0x00]
        for tag in 0..<5120 {
            block += [UInt8(tag >> 8), UInt8(tag & 255), 0, 2, 0, 0, 0xEA, 0x60, 0, 0, 0, 8]
        }
        let start = ContinuousClock.now
        #expect(ExifOrientation.find(exif: block.span, xmp: nil).value == .up)
        #expect(start.duration(to: .now) < .seconds(1))
    }

    @Test func `every byte of a block may be anything`() {
        let file = Fixture.bytes("exif-long-big-endian.jpg")
        var block = Array(file[24..<56])
        for index in block.indices {
            let kept = block[index]
            for byte in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                block[index] = byte
                let found = ExifOrientation.find(exif: block.span, xmp: block.span)
                #expect((1...8).contains(found.value.rawValue))
            }
            block[index] = kept
        }
    }
}

/// Over real files, where the corpus is at hand.
struct ExifCorpusTests {
    @Test func `real files have the orientation that the manifest says`() {
        guard let corpus = Corpus() else { return }
        for row in corpus.manifest {
            guard let path = row["path"], path.hasPrefix("orientation/") || path.hasPrefix("photos/"),
                let stated = Int(row["orientation"] ?? ""), let file = corpus.bytes(path),
                file.starts(with: [0xFF, 0xD8])
            else { continue }
            let expected = Orientation(rawValue: stated) ?? .up
            #expect(orientation(in: file).value == expected, "\(path)")
        }
    }

    @Test func `no real file traps`() {
        guard let corpus = Corpus() else { return }
        for row in corpus.manifest {
            guard let path = row["path"], let file = corpus.bytes(path), file.count > 8 else { continue }
            // Any bytes at all, as the metadata of either kind.
            let start = file.span.extracting(first: min(file.count, 65535))
            let found = ExifOrientation.find(exif: start, xmp: start)
            #expect((1...8).contains(found.value.rawValue), "\(path)")
        }
    }
}
