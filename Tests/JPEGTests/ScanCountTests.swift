import JPEG
import TestSupport
import Testing

struct ScanCountTests {
    private func count(_ name: String) throws(JPEGError) -> ScanCount {
        let file = Fixture.bytes(name)
        return try ScanCount(of: JPEGHeader(parsing: file.span), in: file.span)
    }

    @Test func `scans are counted up to the end of image`() throws {
        #expect(try count("landscape-420.jpg").scans == 1)
        #expect(try count("landscape-progressive.jpg").scans == 10)
        #expect(try count("two-pictures.jpg").scans == 1)
        #expect(try count("scans-separate-restarts.jpg").scans == 3)
        #expect(try count("scans-500.jpg").scans == 500)
    }

    @Test func `a missing end of image is seen`() throws {
        #expect(try count("landscape-420.jpg").sawEndOfImage)
        #expect(try !count("no-end-of-image.jpg").sawEndOfImage)
    }

    @Test func `scan 501 is too many, before any memory is spent`() throws {
        #expect(throws: JPEGError.tooManyScans(limit: 500)) { try count("scans-501.jpg") }
        #expect(throws: JPEGError.tooManyScans(limit: 500)) { try Decoded(Fixture.bytes("scans-501.jpg")) }
    }
}
