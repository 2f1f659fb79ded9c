import Geometry
import TestSupport
import Testing
import Units

@testable import Thumbnails

struct RenderPlanTests {
    @Test func `rows of a cut picture are counted, and shown only where that is accepted`() throws {
        let bytes = Fixture.bytes("cut-half.jpg")
        let error = #expect(throws: PictureError.self) { try render(bytes, "90x90") }
        guard case .truncated(let good, 427) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(good > 100 && good < 300)
        let rendering = try render(bytes, "90x90", options: RenderOptions(acceptsPartial: true))
        #expect(
            rendering.rowsGood == good && rendering.thumbnails[0].size == PixelSize(width: 90, height: 60))
    }

    @Test func `a picture of too many pixels is refused before anything is planned`() {
        #expect(
            throws: PictureError.refused(
                .tooManyPixels(size: PixelSize(width: 640, height: 427), limit: 1000))
        ) {
            try plan(Fixture.bytes("landscape-420.jpg"), "9x9", options: RenderOptions(pixelLimit: 1000))
        }
    }

    @Test func `a header that the file cannot back is refused`() {
        // It also claims more pixels than are allowed by default.
        let options = RenderOptions(pixelLimit: .max)
        let error = #expect(throws: PictureError.self) {
            try plan(Fixture.bytes("bomb.jpg"), "9x9", options: options)
        }
        guard case .refused(.claimsMoreThanFileHolds) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an arithmetic coder may need less than a bit a block, so its small files are not refused`()
        throws
    {
        let bytes = Fixture.bytes("bomb.jpg").withFrameMarker(0xCA)
        let planned = try plan(bytes, "9x9", options: RenderOptions(pixelLimit: .max))
        // Its memory is counted all the same: a budget that is smaller refuses it.
        #expect(planned.footprint.decoder > .mebibytes(1000))
    }

    @Test func `a decode stops when it is told to`() {
        let bytes = Fixture.bytes("landscape-420.jpg")
        var asked = 0
        #expect(throws: PictureError.stopped) {
            try plan(bytes, "90x90").render(bytes.span, within: .max) {
                asked += 1
                return asked > 3
            }
        }
        #expect(asked == 4)
    }

    @Test func `another file than the one that was planned for is noticed`() throws {
        // At full size libjpeg holds every coefficient of a progressive picture.
        let planned = try plan(Fixture.bytes("landscape-420.jpg"), "400x400")
        let larger = Fixture.bytes("landscape-progressive.jpg")
        #expect(throws: PictureError.changed) { try planned.confirmed(by: larger.span) }
    }

    @Test(arguments: [
        "landscape-420.jpg", "landscape-progressive.jpg", "cmyk-adobe.jpg", "landscape-grey.jpg",
    ])
    func `the footprint covers every part that is allocated`(name: String) throws {
        let bytes = Fixture.bytes(name)
        for (points, scales) in [("16x16", [1.0]), ("120x120", [1, 2, 3]), ("5000x5000", [1])] {
            let planned = try plan(bytes, points, scales: scales)
            #expect(planned.footprint.source >= ByteCount(bytes.count))
            let outputs = planned.outputs.reduce(0) { $0 + $1.size.stored.pixelCount }
            #expect(planned.footprint.resamplers >= ByteCount(outputs), "at least the planes")
            #expect(planned.footprint.total > planned.footprint.source + planned.footprint.resamplers)
            let planes = planned.decoder.planes.reduce(0) { $0 + $1.samples.pixelCount }
            #expect(planned.decoder is LibJPEGSource || planned.footprint.decoder >= ByteCount(planes))
            let encoded = try planned.render(bytes.span, within: .max).thumbnails.reduce(0) {
                $0 + $1.encoded.count
            }
            #expect(planned.footprint.encoder >= ByteCount(encoded))
        }
    }
}
