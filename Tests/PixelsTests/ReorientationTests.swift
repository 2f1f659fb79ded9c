import Geometry
import Pixels
import Testing

@Suite struct ReorientationTests {
    /// A 3x2 picture, one letter a pixel, and how each orientation shows it.
    @Test(arguments: [
        (Orientation.up, ["abc", "def"]), (.upMirrored, ["cba", "fed"]), (.down, ["fed", "cba"]),
        (.downMirrored, ["def", "abc"]), (.leftMirrored, ["ad", "be", "cf"]), (.right, ["da", "eb", "fc"]),
        (.rightMirrored, ["fc", "eb", "da"]), (.left, ["cf", "be", "ad"]),
    ])
    func `each orientation shows the stored picture as Exif says`(orientation: Orientation, shown: [String]) {
        let stored = Array("abcdef".utf8)
        let plane = makePlane(width: 3, height: 2) { stored[$1 * 3 + $0] }.reoriented(orientation)
        let rows = (0..<plane.height).map { y in
            String(decoding: (0..<plane.width).map { plane.row(y)[$0] }, as: UTF8.self)
        }
        #expect(rows == shown)
    }

    @Test(arguments: Orientation.allCases)
    func `larger than a block, an orientation and its inverse give the picture back`(orientation: Orientation)
    {
        for (width, height) in [(71, 100), (64, 64), (1, 90), (90, 1), (33, 31)] {
            let plane = noise(width: width, height: height, seed: 12)
            let turned = noise(width: width, height: height, seed: 12).reoriented(orientation)
            #expect(turned.width == (orientation.swapsSides ? height : width))
            #expect(samples(turned.reoriented(orientation.inverse)) == samples(plane))
        }
    }

    @Test func `reorienting twice is reorienting by the composition`() {
        for one in Orientation.allCases {
            for two in Orientation.allCases {
                let steps = noise(width: 13, height: 9, seed: 13).reoriented(one).reoriented(two)
                let once = noise(width: 13, height: 9, seed: 13).reoriented(one.then(two))
                #expect(samples(steps) == samples(once))
            }
        }
    }

    @Test func `only swapped sides need a second plane`() {
        let size = PixelSize(width: 360, height: 270)
        #expect(Plane.reorientationBytes(size, .down) == 0)
        #expect(Plane.reorientationBytes(size, .right) == Plane.allocatedBytes(width: 270, height: 360))
    }
}
