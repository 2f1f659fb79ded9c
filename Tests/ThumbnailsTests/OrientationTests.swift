import Exif
import Geometry
import TestSupport
import Testing

@testable import Thumbnails

struct OrientationTests {
    static let red = [220, 40, 40], green = [40, 180, 60], blue = [40, 70, 210], white = [240, 240, 230]

    /// 64×32 at full size; 33×17, whose half-size chroma ends in the middle of a sample; 21×11; then decoded
    /// at 4/8, 3/8, 2/8 and 1/8.
    @Test(arguments: ["64x64", "33x33", "21x21", "16x16", "12x12", "11x11", "8x8", "7x7", "4x4"])
    func `eight orientations of one scene give the same file`(points: String) throws {
        let upright = try render(Fixture.bytes("orientation-1.jpg"), points).thumbnails[0]
        for value in 2...8 {
            let turned = try render(Fixture.bytes("orientation-\(value).jpg"), points).thumbnails[0]
            #expect(turned.size == upright.size, "orientation \(value)")
            #expect(turned.encoded == upright.encoded, "orientation \(value)")
        }
    }

    @Test(arguments: 1...8) func `a tagged picture is upright`(value: Int) throws {
        let bytes = Fixture.bytes("orientation-\(value).jpg")
        let picture = try InspectedPicture(inspecting: bytes.span)
        #expect(picture.orientation.value.rawValue == value)
        let pixels = try DecodedPicture(decoding: try render(bytes, "32x32").thumbnails[0].encoded)
        for (found, wanted) in zip(pixels.quadrants, [Self.red, Self.green, Self.blue, Self.white]) {
            #expect(isClose(found, wanted), "\(found), not \(wanted)")
        }
    }

    @Test func `a picture that is not reduced is turned all the same`() throws {
        let rendering = try render(Fixture.bytes("orientation-6.jpg"), "500x500")
        #expect(rendering.thumbnails[0].size == PixelSize(width: 64, height: 32))
        #expect(isClose(try DecodedPicture(decoding: rendering.thumbnails[0].encoded).quadrants[0], Self.red))
    }

    @Test(arguments: ["exif-thumbnail-out-of-range.jpg", "exif-after-xmp.jpg", "exif-after-tables.jpg"])
    func `where libexif or a reader of the first segment gives up, it is upright`(name: String) throws {
        let bytes = Fixture.bytes(name)
        let picture = try InspectedPicture(inspecting: bytes.span)
        #expect(picture.orientation.value == .right)
        #expect(
            isClose(
                try DecodedPicture(decoding: render(bytes, "32x32").thumbnails[0].encoded).quadrants[0],
                Self.red))
    }

    @Test(arguments: ["exif-value-0.jpg", "exif-value-9.jpg", "exif-value-255.jpg", "xmp-invalid.jpg"])
    func `an orientation out of range is none`(name: String) throws {
        let picture = try InspectedPicture(inspecting: Fixture.bytes(name).span)
        #expect(picture.orientation.value == .up)
        #expect(picture.orientation.source == .invalid)
    }

    @Test func `the output has no orientation of its own`() throws {
        let encoded = try render(Fixture.bytes("orientation-6.jpg"), "32x32").thumbnails[0].encoded
        let again = try InspectedPicture(inspecting: encoded.span)
        #expect(again.orientation.source == .absent)
    }

    /// Each was encoded by itself, from the same scene turned, so they agree to the encoder's errors.
    @Test(arguments: [
        ("exifr-f%t.jpg", 1.5), ("glide-Landscape_%.jpg", 2), ("glide-Portrait_%.jpg", 2),
    ])
    func `eight real files of one scene look the same`(pattern: String, mostDifference: Double) throws {
        guard let corpus = Corpus() else { return }
        let parts = pattern.split(separator: "%")
        let family = try (1...8).map { value in
            let bytes = try #require(corpus.bytes("orientation/\(parts[0])\(value)\(parts[1])"))
            return try DecodedPicture(decoding: render(bytes, "64x64").thumbnails[0].encoded)
        }
        let upright = family[0]
        for (index, picture) in family.enumerated() {
            #expect(picture.width == upright.width && picture.height == upright.height)
            let sum = zip(picture.samples, upright.samples).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            let mean = Double(sum) / Double(upright.samples.count)
            #expect(mean <= mostDifference, "orientation \(index + 1) differs by \(mean) levels")
        }
    }
}
