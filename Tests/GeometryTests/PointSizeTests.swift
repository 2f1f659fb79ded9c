import Geometry
import Testing

@Suite struct PointSizeTests {
    @Test(arguments: [
        ("120x120", 120.0, 120.0), ("533.4x1000", 533.4, 1000), ("1e300x1e300", 1e300, 1e300),
        (".5x2", 0.5, 2),
        ("5e-324x1", .leastNonzeroMagnitude, 1),
    ])
    func `two numbers around a lower-case x are a point size`(text: String, width: Double, height: Double)
        throws
    {
        let size = try PointSize(text)
        #expect(size.width == width)
        #expect(size.height == height)
    }

    @Test(arguments: [
        "", "x", "120", "120x", "x120", "120X120", "120x120x120", "120 x 120", " 120x120", "120x120 ", "axb",
        "120×120",
        "0x1p4", "120x1p4", "1,5x2", "٣x٣",
    ])
    func `any other text is malformed`(text: String) {
        #expect(throws: GeometryError.malformedPointSize(text)) { try PointSize(text) }
    }

    @Test(arguments: ["0x120", "120x0", "-1x5", "infx5", "1e400x5", "nanx5", "-0.0x1"])
    func `sides that are not finite and greater than zero are invalid`(text: String) {
        let error = #expect(throws: GeometryError.self) { try PointSize(text) }
        guard case .invalidPointSize = error else {
            Issue.record("\(text) gave \(String(describing: error))")
            return
        }
    }

    @Test func `a point size is written as people write it`() throws {
        #expect(try PointSize("120x533.4").description == "120x533.4")
    }

    @Test func `an error message shows no more than the beginning of a long text`() {
        let text = String(repeating: "a", count: 10_000)
        #expect(GeometryError.malformedPointSize(text).description.count < 120)
    }
}
