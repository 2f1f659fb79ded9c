import Geometry
import JPEG
import Pixels
import TestSupport
import Testing
import Units

@testable import Thumbnails

/// Pictures whose data is cut off or damaged, where that is accepted.
struct PartialTests {
    static let accepting = RenderOptions(acceptsPartial: true)

    @Test(arguments: [
        ("cut-half.jpg", "landscape-420.jpg"), ("cut-at-restart.jpg", "landscape-restarts.jpg"),
    ])
    func `the good rows are those of the whole picture, and the rest is grey`(name: String, whole: String)
        throws
    {
        let rowsGood = try #require(
            try render(Fixture.bytes(name), "200x200", options: Self.accepting).rowsGood)
        let (cut, size) = try luma(name)
        let (intact, _) = try luma(whole)
        // A row's filter reaches three rows of the thumbnail to either side.
        let border = rowsGood * size.height / 427
        let good = (border - 4) * size.width
        #expect(good > 0 && cut[..<good] == intact[..<good])
        // An MCU of the last good row may be left, and the filter rings.
        let grey = (border + 4 + 8) * size.width
        #expect(cut[grey...].allSatisfy { (126...130).contains($0) })
    }

    @Test func `a progressive picture without its last scans is shown coarse, and whole`() throws {
        let rendering = try render(
            Fixture.bytes("cut-progressive-early.jpg"), "64x64", options: Self.accepting)
        #expect(rendering.rowsGood == 0)
        let coarse = try DecodedPicture(decoding: rendering.thumbnails[0].encoded)
        let intact = try DecodedPicture(
            decoding: render(Fixture.bytes("landscape-progressive.jpg"), "64x64").thumbnails[0].encoded)
        #expect(coarse.width == intact.width && coarse.height == intact.height)
    }

    @Test(arguments: ["cut-half.jpg", "cut-progressive-early.jpg", "damaged.jpg", "lossless-cut.jpg"])
    func `without being asked for it is an error that counts the good rows`(name: String) throws {
        let rows = try render(Fixture.bytes(name), "64x64", options: Self.accepting).rowsGood
        let error = #expect(throws: PictureError.self) { try render(Fixture.bytes(name), "64x64") }
        switch error {
        case .truncated(let good, _), .damaged(.rows(let good, _)): #expect(good == rows)
        default: Issue.record("\(name): \(String(describing: error))")
        }
    }

    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg", "lossless-rgb.jpg"], [false, true])
    func `a decode stops at the first strip after it is told to`(name: String, linear: Bool) {
        let options = RenderOptions(usesLinearLight: linear)
        for limit in [0, 1, 3] {
            var asked = 0
            #expect(throws: PictureError.stopped) {
                try plan(Fixture.bytes(name), "90x90", options: options).render(
                    Fixture.bytes(name).span, within: .max
                ) {
                    asked += 1
                    return asked > limit
                }
            }
            #expect(asked == limit + 1)
        }
    }

    private func luma(_ name: String) throws -> ([UInt8], PixelSize) {
        let bytes = Fixture.bytes(name)
        let planned = try plan(bytes, "200x200", options: Self.accepting)
        let (size, samples) = try planned.unencodedLuma(bytes.span)
        return (samples, size)
    }
}
