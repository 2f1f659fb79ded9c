import Pixels
import Testing

@Suite struct AxisTests {
    @Test func `a scaled decode covers a real number of samples`() {
        let axis = Axis.decoded(size: 1334, sampling: 1, of: 1, eighths: 1, delivered: 168, to: .every(50))
        #expect(axis.sourceExtent == 166.75)
        #expect(axis.sourceCount == 167)
        #expect(axis.targetExtent == 50)
        #expect(axis.ratio == 3.335)
    }

    @Test func `half-size chroma of an odd width ends in the middle of a sample`() {
        let axis = Axis.whole(721, to: .everySecond(361))
        #expect(axis.targetExtent == 180.5)
        #expect(axis.targetCount == 181)
    }

    @Test func `subsampled chroma has its share of the extent at its own scale`() {
        // 4:2:0 at 1/8, whose chroma libjpeg decodes at 2/8: both have the same extent.
        let luma = Axis.decoded(size: 4033, sampling: 2, of: 2, eighths: 1, delivered: 505, to: .every(361))
        let chroma = Axis.decoded(
            size: 4033, sampling: 1, of: 2, eighths: 2, delivered: 505, to: .everySecond(361))
        #expect(luma.sourceExtent == 504.125)
        #expect(chroma.sourceExtent == 504.125)
        #expect(chroma.sourceCount == 505)
        #expect(chroma.ratio == 2 * luma.ratio)
    }

    @Test func `delivered padding does not count`() {
        let axis = Axis.decoded(size: 100, sampling: 1, of: 1, eighths: 8, delivered: 112, to: .every(10))
        #expect(axis.sourceCount == 100)
        #expect(axis.sourceExtent == 100)
    }

    @Test func `a third of a whole extent is whole where it divides`() {
        let axis = Axis.decoded(size: 99, sampling: 1, of: 3, eighths: 8, delivered: 33, to: .every(11))
        #expect(axis.sourceExtent == 33)
        #expect(axis.sourceCount == 33)
    }
}
