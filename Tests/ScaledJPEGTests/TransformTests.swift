import Testing

@testable import ScaledJPEG

struct TransformTests {
    @Test func `zig-zag order begins and ends as the standard draws it`() {
        #expect(ZigZag.natural.prefix(15) == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4])
        #expect(Set(ZigZag.natural) == Set(0..<64))
        #expect((1...4).map(ZigZag.last(eighths:)) == [0, 4, 12, 24])
    }

    @Test(arguments: 1...4) func `a block of one grey is that grey at every size`(k: Int) {
        var coefficients = [Double](repeating: 0, count: k * k)
        coefficients[0] = 8 * 50
        let samples = ReducedTransform.reference(coefficients, eighths: k)
        #expect(samples.allSatisfy { abs($0 - 178) < 1e-9 })
    }
}
