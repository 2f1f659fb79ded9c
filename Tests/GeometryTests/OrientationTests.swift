import Geometry
import Testing

@Suite struct OrientationTests {
    @Test(arguments: Orientation.allCases)
    func `an orientation and its inverse cancel`(one: Orientation) {
        #expect(one.then(one.inverse) == .up)
        #expect(one.inverse.then(one) == .up)
    }

    @Test func `the eight orientations form a group`() {
        for one in Orientation.allCases {
            #expect(Set(Orientation.allCases.map { one.then($0) }).count == 8)
            for two in Orientation.allCases {
                #expect(one.then(two).swapsSides == (one.swapsSides != two.swapsSides))
                for three in Orientation.allCases {
                    #expect(one.then(two).then(three) == one.then(two.then(three)))
                }
            }
        }
    }

    @Test func `two quarter turns are a half turn and four are none`() {
        #expect(Orientation.right.then(.right) == .down)
        #expect(Orientation.left.then(.left) == .down)
        #expect(Orientation.right.then(.left) == .up)
        #expect(Orientation.down.then(.down) == .up)
    }

    @Test func `a mirrored picture that is turned is a turned mirrored one`() {
        #expect(Orientation.upMirrored.then(.down) == .downMirrored)
        #expect(Orientation.upMirrored.then(.left) == .leftMirrored)
        #expect(Orientation.upMirrored.then(.right) == .rightMirrored)
    }

    @Test func `only five to eight swap the sides`() {
        let size = PixelSize(width: 4032, height: 3024)
        #expect(Orientation.allCases.filter(\.swapsSides).map(\.rawValue) == [5, 6, 7, 8])
        #expect(Orientation.right.applied(to: size) == PixelSize(width: 3024, height: 4032))
        #expect(Orientation.down.applied(to: size) == size)
        #expect(Orientation(rawValue: 0) == nil)
        #expect(Orientation(rawValue: 9) == nil)
    }
}
