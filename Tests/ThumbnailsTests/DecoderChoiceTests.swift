import Geometry
import TestSupport
import Testing
import Units

@testable import Thumbnails

/// Which decoder a picture is planned for, and what becomes of files that it leaves to the next one.
struct DecoderChoiceTests {
    @Test(arguments: [
        "landscape-420.jpg", "portrait-422.jpg", "square-444.jpg", "landscape-grey.jpg", "landscape-rgb.jpg",
        "landscape-progressive.jpg", "landscape-grey-progressive.jpg", "landscape-restarts.jpg",
        "sampling-422-as-221212.jpg", "orientation-6.jpg", "multi-picture.jpg",
    ])
    func `what most cameras and programs write is planned for the scaled decoder`(name: String) throws {
        #expect(try plan(Fixture.bytes(name), "8x8").decoder is ScaledSource)
    }

    @Test func `no plane is decoded larger than the thumbnail's own plane needs`() throws {
        let widths = { (name: String) in
            try plan(Fixture.bytes(name), "60x60").decoder.planes.map(\.samples.width)
        }
        #expect(try widths("square-444.jpg") == [120, 60, 60])
        #expect(try widths("landscape-420.jpg") == [160, 80, 80])
        // Red, green and blue are mixed before chroma is halved.
        #expect(try Set(widths("landscape-rgb.jpg")).count == 1)
    }

    @Test(arguments: [
        "cmyk-plain.jpg", "ycck-adobe.jpg", "lossless-rgb.jpg", "bytes-between-segments.jpg",
        "sampling-fractional.jpg", "sampling-410.jpg", "sampling-411.jpg", "sampling-luma-below-chroma.jpg",
    ])
    func `what the header says is out of the ordinary is planned for libjpeg`(name: String) throws {
        let planned = try plan(Fixture.bytes(name), "8x8")
        #expect(planned.decoder is LibJPEGSource && planned.fallback == nil)
    }

    @Test func `so is arithmetic coding, and a slow picture for tests`() throws {
        let arithmetic = Fixture.bytes("landscape-420.jpg").withFrameMarker(0xC9)
        #expect(try plan(arithmetic, "8x8").decoder is LibJPEGSource)
        #expect(try plan(SlowPicture.bytes(side: 1024, bands: 1), "8x8").decoder is LibJPEGSource)
    }

    @Test func `a decoder that takes less is planned for where the best takes more than there is`() throws {
        let bytes = Fixture.bytes("landscape-420.jpg")
        let best = try plan(bytes, "159x159")
        let thrifty = try #require(best.fallback)
        #expect(best.decoder is ScaledSource && thrifty.footprint.total < best.footprint.total)
        for (memory, expected) in [
            (best.footprint.total, best), (thrifty.footprint.total, thrifty), (.kibibytes(1), thrifty),
        ] {
            let planned = try plan(bytes, "159x159", within: memory)
            #expect(
                planned.footprint == expected.footprint && planned.decoder.scale == expected.decoder.scale)
            #expect(try planned.confirmed(by: bytes.span).footprint == expected.footprint)
        }
        // A progressive picture takes less of the best decoder, whatever there is.
        let progressive = Fixture.bytes("landscape-progressive.jpg")
        #expect(try plan(progressive, "159x159", within: .kibibytes(1)).decoder is ScaledSource)
    }

    @Test func `linear light, damaged pictures and full size are libjpeg's`() throws {
        let bytes = Fixture.bytes("landscape-420.jpg")
        for options in [RenderOptions(usesLinearLight: true), RenderOptions(acceptsPartial: true)] {
            #expect(try plan(bytes, "40x40", options: options).decoder is LibJPEGSource)
        }
        #expect(try plan(bytes, "321x321").decoder is LibJPEGSource)
        #expect(try plan(bytes, "159x159").decoder is ScaledSource)
    }

    /// Of 640 pixels: the smallest k with two samples a pixel.
    @Test(arguments: [
        (39, DecodeScale.eighth, DecodeScale.eighth), (41, .quarter, .quarter), (80, .quarter, .quarter),
        (81, .threeEighths, .half), (120, .threeEighths, .half), (121, .half, .half), (159, .half, .half),
    ])
    func `three eighths are for the scaled decoder alone`(box: Int, scaled: DecodeScale, libjpeg: DecodeScale)
        throws
    {
        let planned = try plan(Fixture.bytes("landscape-420.jpg"), "\(box)x\(box)")
        #expect(planned.decoder.scale == scaled)
        #expect(planned.fallback?.decoder.scale == libjpeg)
    }

    @Test func `in a hurry one and a half samples a pixel are enough, but not of linear light`() throws {
        func scale(_ box: Int, _ options: RenderOptions) throws -> DecodeScale {
            try plan(Fixture.bytes("landscape-420.jpg"), "\(box)x\(box)", options: options).decoder.scale
        }
        let fast = RenderOptions(isFast: true)
        #expect(try scale(53, fast) == .eighth && scale(53, RenderOptions()) == .quarter)
        #expect(try scale(54, fast) == .quarter)
        #expect(try scale(213, fast) == .half && scale(214, fast) == .full)
        let both = RenderOptions(usesLinearLight: true, isFast: true)
        for box in [20, 21, 40, 53, 80, 81] {
            #expect(try scale(box, both) == scale(box, RenderOptions(usesLinearLight: true)))
        }
    }

    @Test func `a baseline picture whose planes would be large is streamed in constant memory`() throws {
        let fixture = Fixture.bytes("landscape-420.jpg")
        let options = RenderOptions(pixelLimit: .max)
        // 4:2:0 at 1/8 takes 1.5 bytes for 64 pixels.
        let large = try plan(fixture.withFrameSize(60_000, 5900), "100x100", options: options)
        #expect(large.decoder is ScaledSource && large.footprint.decoder > .mebibytes(7))
        let larger = try plan(fixture.withFrameSize(60_000, 6000), "100x100", options: options)
        #expect(larger.decoder is LibJPEGSource && larger.footprint.decoder < .mebibytes(2))
    }

    @Test func `a progressive picture counts what its scale needs; libjpeg's plan, every coefficient`() throws
    {
        let bytes = Fixture.bytes("landscape-progressive.jpg").withFrameSize(4000, 3000)
        for (box, part) in [(240, 25), (360, 6), (720, 2)] {
            let planned = try plan(bytes, "\(box)x\(box)")
            let fallback = try #require(planned.fallback)
            // Two bytes a sample of luma, and half as many of chroma.
            #expect(fallback.footprint.decoder > ByteCount(4000 * 3000 * 3))
            #expect(planned.footprint.decoder * part < fallback.footprint.decoder, "\(box)")
        }
        let usual = try plan(bytes, "120x120", scales: [3]).footprint
        #expect(usual.total - usual.source < .mebibytes(8))
    }

    @Test func `a file that is left to libjpeg costs no more than was admitted, or says what it costs`()
        throws
    {
        for (name, isWithin) in [("landscape-420.jpg", true), ("landscape-progressive.jpg", false)] {
            let bytes = Fixture.bytes(name).withHeightAtEnd(427)
            let planned = try plan(bytes, "40x40")
            #expect(planned.decoder is ScaledSource)
            let fallback = try #require(planned.fallback)
            #expect((fallback.footprint.total <= planned.footprint.total) == isWithin)
            if !isWithin {
                let wanted = PictureError.needsMemory(fallback.footprint.total)
                #expect(throws: wanted) {
                    try planned.render(bytes.span, within: planned.footprint.total)
                }
            }
            let enough = max(planned.footprint.total, fallback.footprint.total)
            let rendering = try planned.render(bytes.span, within: enough)
            let alone = try fallback.render(bytes.span, within: fallback.footprint.total)
            #expect(rendering.thumbnails.map(\.encoded) == alone.thumbnails.map(\.encoded))
            #expect(rendering.notes == alone.notes)
        }
    }

    @Test func `the plan of a file that libjpeg decodes in the end is confirmed like any other`() throws {
        let bytes = Fixture.bytes("landscape-progressive.jpg").withHeightAtEnd(427)
        let confirmed = try plan(bytes, "40x40").confirmed(by: bytes.span)
        let needed = try #require(confirmed.fallback?.footprint.total)
        #expect(try confirmed.render(bytes.span, within: needed).thumbnails.count == 1)
        #expect(throws: PictureError.needsMemory(needed)) {
            try confirmed.render(bytes.span, within: needed - ByteCount(1))
        }
    }

    /// Damaged, cut, odd and sound: whatever libjpeg alone would say of a file is said of it.
    @Test(arguments: ["photos", "odd", "orientation", "broken"])
    func `no file is accepted or refused, or noted, otherwise than by libjpeg alone`(folder: String) throws {
        guard let corpus = Corpus() else { return }
        var compared = 0
        for row in corpus.manifest {
            guard let path = row["path"], path.hasPrefix(folder + "/"), let bytes = corpus.bytes(path) else {
                continue
            }
            compared += try compareWithLibJPEG(bytes, path)
        }
        print("decoders compared in \(folder): \(compared)")
        #expect(compared > 0)
    }

    @Test(arguments: [
        "cut-half.jpg", "cut-half-with-end.jpg", "cut-at-restart.jpg", "cut-progressive-early.jpg",
        "cut-progressive-late.jpg", "damaged.jpg", "no-end-of-image-progressive.jpg", "trailing-data.jpg",
        "bytes-between-scans.jpg", "fill-bytes.jpg", "restart-missing.jpg", "dnl-with-height.jpg",
    ])
    func `nor is any fixture`(name: String) throws {
        #expect(try compareWithLibJPEG(Fixture.bytes(name), name) > 0)
    }

    @Test(arguments: [1, 2, 3, 4]) func `nor is a picture whose last scans are missing`(eighths: Int) throws {
        for name in ["landscape-progressive.jpg", "landscape-grey-progressive.jpg"] {
            let whole = Fixture.bytes(name)
            let cut = whole.prefix(whole.count * eighths / 8) + [0xFF, 0xD9]
            #expect(try compareWithLibJPEG(Array(cut), "\(eighths)/8 of \(name)") > 0)
        }
    }

    /// The one thing that libjpeg sees and the scaled decoder does not look for.
    @Test(arguments: [5, 6, 7])
    func
        `where only bits are missing that the scale does not need, the thumbnail is that of the whole picture`(
            eighths: Int
        ) throws
    {
        for name in ["landscape-progressive.jpg", "landscape-grey-progressive.jpg"] {
            let whole = Fixture.bytes(name)
            let cut = whole.prefix(whole.count * eighths / 8) + [0xFF, 0xD9]
            let intact = try render(whole, "37x37").thumbnails.map(\.encoded)
            do {
                #expect(try render(Array(cut), "37x37").thumbnails.map(\.encoded) == intact)
            } catch PictureError.truncated {}
        }
    }

    /// At every scale that there is; returns how many plans had two decoders.
    private func compareWithLibJPEG(_ bytes: [UInt8], _ path: String) throws -> Int {
        var compared = 0
        for k in 1...4 {
            let planned: RenderPlan
            do {
                let longSide = try InspectedPicture(inspecting: bytes.span).stored.longSide
                let box = max(1, longSide * k / 17)
                planned = try plan(bytes, "\(box)x\(box)")
            } catch is PictureError {
                continue
            }
            guard let fallback = planned.fallback else { continue }
            compared += 1
            #expect(
                Verdict(planned, bytes) == Verdict(fallback, bytes), "\(path) at \(planned.decoder.scale)")
        }
        return compared
    }
}

/// What is said of a file.
private enum Verdict: Equatable {
    case accepted([PixelSize], notes: [String], rowsGood: Int?)
    case refused(PictureError)

    init(_ plan: RenderPlan, _ bytes: [UInt8]) {
        do throws(PictureError) {
            let rendering = try plan.render(bytes.span, within: .max)
            self = .accepted(
                rendering.thumbnails.map(\.size), notes: rendering.notes, rowsGood: rendering.rowsGood)
        } catch {
            self = .refused(error)
        }
    }
}
