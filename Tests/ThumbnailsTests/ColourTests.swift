import JPEG
import TestSupport
import Testing
import Thumbnails

struct ColourTests {
    @Test(arguments: [
        "rgb-ids.jpg", "rgb-adobe.jpg", "cmyk-plain.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg", "ycck-2112.jpg",
        "jfif-and-adobe-0.jpg",
    ])
    func `every way to store colours comes out as red, green, blue and white`(name: String) throws {
        for options in [RenderOptions(), RenderOptions(usesLinearLight: true)] {
            let thumbnail = try render(Fixture.bytes(name), "32x32", options: options).thumbnails[0]
            let pixels = try DecodedPicture(decoding: thumbnail.encoded)
            let wanted = [
                OrientationTests.red, OrientationTests.green, OrientationTests.blue, OrientationTests.white,
            ]
            for (found, wanted) in zip(pixels.quadrants, wanted) {
                #expect(isClose(found, wanted, within: 20), "\(found), not \(wanted)")
            }
        }
    }

    @Test(arguments: [
        "sampling-444.jpg", "sampling-422.jpg", "sampling-420.jpg", "sampling-440.jpg", "sampling-411.jpg",
        "sampling-410.jpg", "sampling-luma-below-chroma.jpg", "sampling-422-as-221212.jpg",
        "sampling-thirds.jpg",
        "sampling-fractional.jpg",
    ])
    func `every sampling gives the colours of 4 4 4`(name: String) throws {
        let reference = try DecodedPicture(
            decoding: try render(Fixture.bytes("sampling-444.jpg"), "24x24").thumbnails[0].encoded)
        let pixels = try DecodedPicture(
            decoding: try render(Fixture.bytes(name), "24x24").thumbnails[0].encoded)
        for (found, wanted) in zip(pixels.quadrants, reference.quadrants) {
            #expect(isClose(found, wanted, within: 24), "\(name): \(found), not \(wanted)")
        }
    }

    @Test func `grey stays one component`() throws {
        for name in ["landscape-grey.jpg", "landscape-grey-progressive.jpg", "grey-2x2.jpg"] {
            let encoded = try render(Fixture.bytes(name), "100x100").thumbnails[0].encoded
            let header = try JPEGHeader(parsing: encoded.span)
            #expect(header.components.count == 1, "\(name)")
        }
    }

    @Test(arguments: ["icc-one-chunk.jpg", "icc-chunks-out-of-order.jpg", "icc-after-frame.jpg"])
    func `a colour profile passes through byte for byte`(name: String) throws {
        let rendering = try render(Fixture.bytes(name), "32x32", scales: [1, 0.5])
        for thumbnail in rendering.thumbnails {
            let header = try JPEGHeader(parsing: thumbnail.encoded.span)
            let profile = ICCProfile.assemble(header, in: thumbnail.encoded.span)
            #expect(profile == Fixture.bytes("profile.icc"))
        }
    }

    @Test(arguments: [1, 65_519, 65_520, 300_000]) func `a profile of any length passes through`(length: Int)
        throws
    {
        let profile = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        for name in ["landscape-420.jpg", "landscape-grey.jpg", "landscape-rgb.jpg"] {
            let source = Fixture.bytes(name).withProfile(profile)
            let encoded = try render(source, "32x32").thumbnails[0].encoded
            let header = try JPEGHeader(parsing: encoded.span)
            let found = ICCProfile.assemble(header, in: encoded.span)
            #expect(found == profile, "\(name)")
        }
    }

    @Test(arguments: ["cmyk-plain.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg"])
    func `a profile of inks is left out of a picture of light`(name: String) throws {
        let source = Fixture.bytes(name).withProfile(Fixture.bytes("profile.icc"))
        let rendering = try render(source, "32x32")
        let encoded = rendering.thumbnails[0].encoded
        let header = try JPEGHeader(parsing: encoded.span)
        #expect(header.iccChunks.isEmpty)
        #expect(header.components.count == 3)
        // It was sound, and is left out with a word.
        #expect(rendering.notes == ["inkProfileDropped"])
    }

    @Test(arguments: ["icc-gap.jpg", "icc-duplicate.jpg", "icc-number-above-total.jpg"])
    func `a broken colour profile is dropped with a note`(name: String) throws {
        let rendering = try render(Fixture.bytes(name), "32x32")
        #expect(rendering.notes.contains("brokenICCProfileDropped"))
        let encoded = rendering.thumbnails[0].encoded
        let header = try JPEGHeader(parsing: encoded.span)
        #expect(header.iccChunks.isEmpty)
    }
}
