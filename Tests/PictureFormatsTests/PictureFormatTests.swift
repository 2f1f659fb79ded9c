import PictureFormats
import Testing

@Suite struct PictureFormatTests {
    @Test(arguments: [
        (PictureFormat.png, "\u{89}PNG\r\n\u{1A}\n"), (.gif, "GIF89a...."), (.gif, "GIF87a"),
        (.webp, "RIFF\u{10}\u{0}\u{0}\u{0}WEBPVP8 "), (.tiff, "II*\u{0}\u{8}\u{0}\u{0}\u{0}"),
        (.tiff, "MM\u{0}*\u{0}\u{0}\u{0}\u{8}"), (.tiff, "II+\u{0}\u{8}"), (.jpegXL, "\u{FF}\u{0A}"),
        (.jpegXL, "\u{0}\u{0}\u{0}\u{0C}JXL \r\n\u{87}\n"),
        (.jpeg2000, "\u{0}\u{0}\u{0}\u{0C}jP  \r\n\u{87}\n"),
        (.jpeg2000, "\u{FF}\u{4F}\u{FF}\u{51}"), (.jpegXR, "II\u{BC}\u{1}"), (.psd, "8BPS\u{0}\u{1}"),
        (.qoi, "qoif"),
        (.dds, "DDS "), (.openEXR, "v/1\u{1}"), (.radianceHDR, "#?RADIANCE\n"), (.netpbm, "P6\n640 480"),
        (.icns, "icns\u{0}"), (.pdf, "%PDF-1.4"), (.svg, "<svg xmlns="), (.svg, "\u{EF}\u{BB}\u{BF}\n <svg"),
        (.svg, "<?xml version=\"1.0\"?>\n<!-- a -->\n<svg"),
        (.canonRaw, "II*\u{0}\u{10}\u{0}\u{0}\u{0}CR\u{2}"),
        (.canonRaw, "\u{0}\u{0}\u{0}\u{18}ftypcrx \u{0}\u{0}\u{0}\u{1}crx isom"),
        (.fujifilmRaw, "FUJIFILMCCD-RAW 0201"),
        (.olympusRaw, "IIRO\u{8}"), (.panasonicRaw, "IIU\u{0}"), (.sigmaRaw, "FOVb"),
        (.heic, "\u{0}\u{0}\u{0}\u{18}ftypheic\u{0}\u{0}\u{0}\u{0}mif1heic"),
        (.avif, "\u{0}\u{0}\u{0}\u{1C}ftypmif1\u{0}\u{0}\u{0}\u{0}mif1avifmiaf"),
        (.heic, "\u{0}\u{0}\u{0}\u{18}ftypmif1\u{0}\u{0}\u{0}\u{0}mif1heic"),
        (.isoMovie, "\u{0}\u{0}\u{0}\u{14}ftypqt  \u{0}\u{0}\u{0}\u{0}qt  "),
        (.ico, "\u{0}\u{0}\u{1}\u{0}\u{1}\u{0}\u{10}\u{10}\u{0}\u{0}"),
        (.bmp, "BM\u{46}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{36}\u{0}\u{0}\u{0}\u{28}\u{0}\u{0}\u{0}"),
    ])
    func `each format is known by its first bytes`(format: PictureFormat, head: String) {
        // Each character of the text is one byte.
        #expect(sniff(head.unicodeScalars.map { UInt8($0.value) }) == format)
    }

    @Test func `FF D8 and then anything is a JPEG`() {
        #expect(sniff([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(sniff([0xFF, 0xD8, 0x00, 0x01]) == .jpeg)
        #expect(sniff([0xFF, 0xD8]) == .jpeg)
    }

    @Test(
        arguments: [
            [], [0xFF], [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
            [0x50, 0x4B, 0x03, 0x04],
            Array("BMW is no bitmap, though it begins like one".utf8), Array("<html><body>".utf8),
            Array("Portable".utf8),
            Array("RIFF....WAVE".utf8), Array("GIF8".utf8), Array("BM".utf8),
        ] as [[UInt8]])
    func `anything else is no picture`(head: [UInt8]) {
        #expect(sniff(head) == nil)
    }

    @Test func `no head of any length traps`() {
        let signatures: [[UInt8]] = [
            Array("BM".utf8), [0, 0, 1, 0], Array("P6".utf8), [0, 0, 0, 255] + Array("ftypmif1".utf8),
            [0xEF, 0xBB, 0xBF],
            [255, 255, 255, 255] + Array("ftyp".utf8), Array("<?xml <sv".utf8),
        ]
        for signature in signatures {
            for length in 0...300 {
                let head = (0..<length).map {
                    $0 < signature.count ? signature[$0] : UInt8(truncatingIfNeeded: $0 &* 37)
                }
                let format = sniff(head)
                #expect(format == nil || PictureFormat.allCases.contains { $0 == format })
            }
        }
    }

    @Test func `a film brand behind the end of its box does not count`() {
        let bytes = [0, 0, 0, 16] + Array("ftypxxxx".utf8) + [0, 0, 0, 0] + Array("isom".utf8)
        #expect(sniff(bytes) == nil)
    }

    @Test(arguments: PictureFormat.allCases)
    func `every format has a name with an article`(format: PictureFormat) {
        #expect(format.name.hasPrefix("a ") || format.name.hasPrefix("an "))
    }
}

func sniff(_ bytes: [UInt8]) -> PictureFormat? { PictureFormat(firstBytes: bytes.span) }
