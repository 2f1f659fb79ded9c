import Pixels
import Testing

/// Pictures that end within their last sample, or before the samples do.
@Suite struct RealExtentTests {
    @Test func `a ramp over 166 and three quarter samples stays a straight ramp`() {
        let axis = Axis.decoded(size: 1334, sampling: 1, of: 1, eighths: 1, delivered: 168, to: .every(50))
        let plane = makePlane(width: 168, height: 8) { x, _ in UInt8(min(255, 10 + x)) }
        let result = resampled(plane, horizontal: axis, vertical: .whole(8, to: .every(4)))
        // Away from the edges, where the clamped samples bend it.
        for x in 6..<44 {
            let expected = 10 + (Double(x) + 0.5) * 166.75 / 50 - 0.5
            #expect(abs(Double(result.row(2)[x]) - expected) <= 0.51)
        }
    }

    @Test func `padding behind the picture is never read`() {
        let wide = Axis.decoded(size: 1334, sampling: 1, of: 1, eighths: 1, delivered: 176, to: .every(50))
        let high = Axis.decoded(size: 75, sampling: 1, of: 1, eighths: 2, delivered: 24, to: .every(7))
        let clean = makePlane(width: 176, height: 24) { x, y in UInt8(x % 200) }
        let dirty = makePlane(width: 176, height: 24) { x, y in
            x < 167 && y < 19 ? UInt8(x % 200) : x % 2 == 0 ? 255 : 0
        }
        #expect(
            samples(resampled(clean, horizontal: wide, vertical: high))
                == samples(resampled(dirty, horizontal: wide, vertical: high)))
    }

    @Test func `half-size chroma of odd sizes covers the picture and no more`() {
        // A colour edge in the middle of a 361-pixel picture: sample 90 is centred on it.
        let plane = makePlane(width: 722, height: 2) { x, _ in x < 361 ? UInt8(60) : 200 }
        let result = resampled(
            plane, horizontal: .whole(722, to: .everySecond(361)), vertical: .whole(2, to: .everySecond(2)))
        #expect(result.width == 181)
        #expect(result.height == 1)
        // The edge lies at 90.25 of the 180.5 samples: to the left of the middle of sample 90.
        #expect(result.row(0)[88] < 80 && result.row(0)[92] > 180)
        #expect(result.row(0)[90] > 130 && result.row(0)[90] < 180)
        #expect(result.row(0)[180] == 200)
    }

    @Test func `chroma at a quarter of the width is enlarged smoothly`() {
        let plane = makePlane(width: 50, height: 50) { x, _ in UInt8(20 + 4 * x) }
        let axis = Axis.decoded(
            size: 200, sampling: 1, of: 4, eighths: 8, delivered: 50, to: .everySecond(200))
        let result = resampled(plane, horizontal: axis, vertical: .whole(50, to: .every(50)))
        #expect(result.width == 100)
        for x in 8..<92 {
            // Lanczos-3 does not enlarge a ramp exactly: it ripples by a hundredth of a step or two.
            #expect(abs(Double(result.row(20)[x]) - (18 + 4 * (Double(x) + 0.5) / 2)) <= 0.75)
        }
    }

    @Test func `full-size chroma is halved about the same centres, odd sizes included`() {
        for (width, height) in [(64, 48), (65, 49), (1, 1), (2, 3)] {
            let plane = makePlane(width: width, height: height) { x, y in UInt8(40 + 2 * x + y) }
            let result = plane.resampled(by: .halving(width: width, height: height))
            #expect(result.width == (width + 1) / 2 && result.height == (height + 1) / 2)
            for y in 0..<result.height where y > 2 && y < result.height - 3 {
                for x in 0..<result.width where x > 2 && x < result.width - 3 {
                    // Sample x covers columns 2x and 2x + 1.
                    #expect(
                        abs(Double(result.row(y)[x]) - (40 + 2 * (2 * Double(x) + 0.5) + 2 * Double(y) + 0.5))
                            <= 0.51)
                }
            }
        }
    }
}
