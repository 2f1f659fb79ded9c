@testable import ScaledJPEG
import TestSupport
import Testing

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

    @Test(arguments: 1...4) func `the largest coefficients neither overflow nor lose precision`(k: Int) {
        var random = SplitMix(seed: UInt64(k))
        let largest = ReducedTransform.largestCoefficient
        let divisors = [1, 3, 16, 255, 2047, 40_000]
        for round in 0..<200 {
            let divisor = divisors[round % divisors.count]
            let limit = largest / divisor
            // Each block has its own signs; half of them nothing but extremes.
            let blocks = (0..<11).map { block in
                (0..<k * k).map { _ in
                    block % 2 == 0
                        ? (Bool.random(using: &random) ? limit : -limit)
                        : Int.random(in: -limit...limit, using: &random)
                }
            }
            let (plane, isPicture) = transformed(blocks, divisor: divisor, eighths: k)
            #expect(isPicture)
            for (block, coefficients) in blocks.enumerated() {
                let expected = ReducedTransform.reference(
                    coefficients.map { Double($0 * divisor) }, eighths: k)
                for (sample, level) in expected.enumerated() {
                    let found = plane.withRow(sample / k) { Double($0[block * k + sample % k]) }
                    let bound = k > 2 ? 0.75 : 0.500_001
                    #expect(abs(found - min(max(level, 0), 255)) <= bound)
                }
            }
        }
    }

    @Test(arguments: 1...4) func `one coefficient that is too large is seen wherever it is`(k: Int) {
        for divisor in [1, 16, 2047, 2048, 65_535] {
            let tooLarge = ReducedTransform.largestCoefficient / divisor + 1
            for index in 0..<k * k {
                for value in [tooLarge, -tooLarge, 32_767, -32_768] {
                    var blocks = [[Int]](repeating: [Int](repeating: 0, count: k * k), count: 11)
                    blocks[index % 11][index] = value
                    #expect(!transformed(blocks, divisor: divisor, eighths: k).isPicture)
                }
            }
        }
    }

    /// Blocks side by side, transformed by the fast pass.
    private func transformed(
        _ blocks: [[Int]], divisor: Int, eighths k: Int
    ) -> (plane: ScaledPlane, isPicture: Bool) {
        let header: [UInt8] = [8, 0, 8, 0, UInt8(8 * blocks.count), 1, 1, 0x11, 0]
        guard let frame = try? FrameHeader(marker: 0xC0, header.span, offset: 0) else {
            fatalError("the header is sound")
        }
        let plane = ScaledPlane(frame.components[0], of: frame, eighths: k)
        let groups = BlockGroups(blocks: blocks.count, eighths: k)
        var coefficients = [Int16](repeating: 0, count: groups.coefficients)
        for (block, values) in blocks.enumerated() {
            for (index, value) in values.enumerated() {
                coefficients[groups.index(ofBlock: block) + index * BlockGroups.size] = Int16(value)
            }
        }
        let table = QuantisationTable(divisors: [UInt16](repeating: UInt16(divisor), count: 64))
        let isPicture = ReducedTransform(eighths: k, table).transform(
            coefficients.span, into: plane, blockRow: 0)
        return (plane, isPicture)
    }
}
