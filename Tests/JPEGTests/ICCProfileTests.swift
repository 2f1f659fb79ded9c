import JPEG
import TestSupport
import Testing

struct ICCProfileTests {
    private func profile(_ name: String) throws -> [UInt8]? {
        let file = Fixture.bytes(name)
        return ICCProfile.assemble(try JPEGHeader(parsing: file.span), in: file.span)
    }

    @Test(arguments: ["icc-one-chunk", "icc-chunks-out-of-order", "icc-after-frame"])
    func `a sound profile comes out byte for byte`(name: String) throws {
        #expect(try profile(name + ".jpg") == Fixture.bytes("profile.icc"))
    }

    @Test(arguments: ["icc-gap", "icc-duplicate", "icc-number-above-total"])
    func `a broken profile is dropped`(name: String) throws {
        #expect(try profile(name + ".jpg") == nil)
        #expect(try !JPEGHeader(parsing: Fixture.bytes(name + ".jpg").span).iccChunks.isEmpty)
    }

    @Test func `a file without a profile has none`() throws {
        #expect(try profile("landscape-420.jpg") == nil)
    }
}
