import Geometry
import TestSupport
import Testing
import Thumbnails

/// The checks of the two public articles that the picture rules come from.
struct SeedTests {
    /// Each larger than the limit on both sides; several aspects, so that not just one layout is covered.
    static let fixtures = [
        "landscape-420.jpg", "portrait-422.jpg", "square-444.jpg", "landscape-progressive.jpg",
    ]

    @Test(arguments: fixtures)
    func `the longest side is the pixel limit and the aspect is kept`(name: String) throws {
        let limit = 320
        let bytes = Fixture.bytes(name)
        let source = try InspectedPicture(inspecting: bytes.span).displayed
        #expect(source.width > limit && source.height > limit, "or returning the original would pass")
        let thumbnail = try #require(try render(bytes, "\(limit)x\(limit)").thumbnails.first)
        #expect(thumbnail.size.longSide == limit)
        let aspect = Double(source.width) / Double(source.height)
        #expect(abs(Double(thumbnail.size.width) / Double(thumbnail.size.height) - aspect) < 0.01)
        let pixels = try DecodedPicture(decoding: thumbnail.encoded)
        #expect(pixels.width == thumbnail.size.width && pixels.height == thumbnail.size.height)
    }

    @Test(arguments: [(0.0, 120.0), (-1, 5), (.nan, 5), (.infinity, 5), (5, 0)])
    func `a limit that is no size is refused`(width: Double, height: Double) {
        #expect(throws: GeometryError.self) { try PointSize(width: width, height: height) }
    }

    @Test(arguments: [0, -1, Double.nan, .infinity])
    func `a scale that is none is refused`(scale: Double) {
        #expect(throws: PictureError.self) {
            try plan(Fixture.bytes("landscape-420.jpg"), "120x120", scales: [scale])
        }
    }

    @Test func `a box beyond all numbers is refused`() {
        #expect(throws: PictureError.self) {
            try plan(Fixture.bytes("landscape-420.jpg"), "1e300x1e300", scales: [1e300])
        }
    }

    @Test func `the box is points times the display's scale`() throws {
        let rendering = try render(Fixture.bytes("landscape-420.jpg"), "120x120", scales: [1, 2, 3])
        #expect(rendering.thumbnails.map(\.size.width) == [120, 240, 360])
    }

    @Test func `a picture is never enlarged`() throws {
        let bytes = Fixture.bytes("landscape-420.jpg")
        let source = try InspectedPicture(inspecting: bytes.span).displayed
        #expect(try render(bytes, "5000x5000", scales: [3]).thumbnails[0].size == source)
        #expect(try render(bytes, "1e300x1e300").thumbnails[0].size == source)
    }

    @Test func `less than a pixel is no thumbnail`() {
        #expect(throws: PictureError.self) { try plan(Fixture.bytes("landscape-420.jpg"), "0.4x0.4") }
    }

    @Test(arguments: ["not-a-picture.jpg", "empty.jpg", "header-cut.jpg", "cut-half.jpg", "damaged.jpg"])
    func `a corrupt file gives an error and no thumbnail`(name: String) {
        #expect(throws: PictureError.self) { try render(Fixture.bytes(name), "120x120") }
    }

    @Test func `an orientation-tagged picture comes out as it is shown`() throws {
        let bytes = Fixture.bytes("portrait-orientation-6.jpg")
        let picture = try InspectedPicture(inspecting: bytes.span)
        #expect(picture.stored.width > picture.stored.height)
        let thumbnail = try render(bytes, "120x120", scales: [2]).thumbnails[0]
        #expect(thumbnail.size.height == 240 && thumbnail.size.width < 240)
    }
}
