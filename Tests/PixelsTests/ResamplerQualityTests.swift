import Geometry
import Glibc
import Pixels
import TestSupport
import Testing

/// What a viewer would notice: agreement with the textbook, registration, constants, edges.
@Suite struct ResamplerQualityTests {
    @Test(arguments: [(200, 150, 71, 53), (252, 189, 90, 68), (150, 40, 149, 39), (90, 200, 12, 27)])
    func `noise and scenes agree with the plain resampler to one level and 58 dB`(shape: (Int, Int, Int, Int))
    {
        for plane in [
            samples(noise(width: shape.0, height: shape.1, seed: 5)),
            samples(scene(width: shape.0, height: shape.1)),
        ] {
            let source = makePlane(width: shape.0, height: shape.1) { plane[$1 * shape.0 + $0] }
            let result = samples(resampled(source, to: shape.2, shape.3))
            let expected = ReferenceResampler.resample(
                plane.map(Double.init), width: shape.0, horizontal: .whole(shape.0, to: shape.2),
                vertical: .whole(shape.1, to: shape.3))
            var squares = 0.0
            for (sample, exact) in zip(result, expected) {
                let exact = max(0, min(255, exact))
                #expect(abs(Double(sample) - exact) < 0.75)
                squares += (Double(sample) - exact) * (Double(sample) - exact)
            }
            // Rounding to whole levels alone costs 1/12 of a level squared: 58.9 dB.
            let decibel = 10 * log10(255 * 255 * Double(result.count) / squares)
            #expect(decibel > 58.8)
        }
    }

    @Test(arguments: [(200, 150, 71, 53), (120, 90, 119, 88)])
    func `rounded alike, the plain resampler agrees to 70 dB`(shape: (Int, Int, Int, Int)) {
        let source = noise(width: shape.0, height: shape.1, seed: 6)
        let result = samples(resampled(source, to: shape.2, shape.3))
        let expected = ReferenceResampler.resample(
            samples(source).map(Double.init), width: shape.0, horizontal: .whole(shape.0, to: shape.2),
            vertical: .whole(shape.1, to: shape.3)
        ).map { max(0, min(255, ($0 + 0.5).rounded(.down))) }
        let squares = zip(result, expected).reduce(0) { $0 + pow(Double($1.0) - $1.1, 2) }
        #expect(zip(result, expected).allSatisfy { abs(Double($0) - $1) <= 1 })
        #expect(10 * log10(255 * 255 * Double(result.count) / squares) > 70)
    }

    @Test func `linear samples agree with the plain resampler to 90 dB`() {
        var random = SplitMix(state: 8)
        let plane = makePlane(width: 160, height: 120) { _, _ in UInt16(truncatingIfNeeded: random.next()) }
        let axes = (Axis.whole(160, to: .every(45)), Axis.whole(120, to: .every(34)))
        let result = samples(resampled(plane, horizontal: axes.0, vertical: axes.1))
        let expected = ReferenceResampler.resample(
            samples(plane).map(Double.init), width: 160, horizontal: .whole(160, to: 45),
            vertical: .whole(120, to: 34))
        let squares = zip(result, expected).reduce(0) {
            $0 + pow(Double($1.0) - max(0, min(65_535, $1.1)), 2)
        }
        #expect(10 * log10(65_535 * 65_535 * Double(result.count) / squares) > 90)
    }

    @Test(arguments: [0, 1, 77, 128, 254, 255] as [UInt8])
    func `a constant picture stays what it is`(level: UInt8) {
        for (width, height, targetWidth, targetHeight) in [
            (50, 40, 21, 17), (1000, 3, 3, 2), (9, 9, 9, 9), (2000, 1, 1, 1),
        ] {
            let plane = makePlane(width: width, height: height) { _, _ in level }
            #expect(samples(resampled(plane, to: targetWidth, targetHeight)).allSatisfy { $0 == level })
        }
        let odd = Axis.decoded(
            size: 1334, sampling: 1, of: 2, eighths: 1, delivered: 84, to: .everySecond(57))
        let plane = makePlane(width: 84, height: 84) { _, _ in level }
        #expect(samples(resampled(plane, horizontal: odd, vertical: odd)).allSatisfy { $0 == level })
    }

    @Test func `ratio one is the identity, bit for bit`() {
        let plane = noise(width: 67, height: 43, seed: 9)
        #expect(samples(resampled(plane, to: 67, 43)) == samples(plane))
    }

    @Test func `a ratio just above one keeps the picture in place`() {
        let plane = scene(width: 301, height: 201)
        let result = resampled(plane, to: 300, 200)
        #expect(result.width == 300 && result.height == 200)
        let expected = ReferenceResampler.resample(
            samples(plane).map(Double.init), width: 301, horizontal: .whole(301, to: 300),
            vertical: .whole(201, to: 200))
        #expect(zip(samples(result), expected).allSatisfy { abs(Double($0) - max(0, min(255, $1))) < 0.75 })
    }

    @Test(arguments: Orientation.allCases)
    func `the eight orientations of one scene give identical pixels`(orientation: Orientation) {
        let upright = resampled(scene(width: 160, height: 121), to: 57, 43)
        let stored = scene(width: 160, height: 121).reoriented(orientation.inverse)
        let result = orientation.swapsSides ? resampled(stored, to: 43, 57) : resampled(stored, to: 57, 43)
        #expect(samples(result.reoriented(orientation)) == samples(upright))
    }

    @Test(arguments: [3.0, 5.5, 11.25])
    func `a soft spot keeps its place to a twentieth of a pixel`(radius: Double) {
        for (x, y) in [(81.3, 60.8), (100, 75), (59.5, 90.1)] {
            let plane = makePlane(width: 200, height: 150) { column, row in
                let distance = pow(Double(column) + 0.5 - x, 2) + pow(Double(row) + 0.5 - y, 2)
                return UInt8((220 * exp(-distance / (2 * radius * radius))).rounded())
            }
            let result = resampled(plane, to: 71, 53)
            var (mass, sumX, sumY) = (0.0, 0.0, 0.0)
            for row in 0..<53 {
                for column in 0..<71 {
                    let level = Double(result.row(row)[column])
                    mass += level
                    sumX += level * (Double(column) + 0.5)
                    sumY += level * (Double(row) + 0.5)
                }
            }
            #expect(abs(sumX / mass - x * 71 / 200) < 0.05)
            #expect(abs(sumY / mass - y * 53 / 150) < 0.05)
        }
    }

    @Test func `steps overshoot no further than the range of a sample`() {
        let plane = makePlane(width: 120, height: 90) { x, _ in (x / 20) % 2 == 0 ? UInt8(0) : 255 }
        let result = samples(resampled(plane, to: 43, 31))
        #expect(result.contains(0) && result.contains(255))
        let soft = makePlane(width: 120, height: 90) { x, _ in (x / 20) % 2 == 0 ? UInt8(100) : 150 }
        let levels = samples(resampled(soft, to: 43, 31))
        // Lanczos-3 overshoots a step by about a tenth of its height.
        #expect(levels.allSatisfy { (93...157).contains($0) })
    }

    @Test(arguments: [
        (1, 65_500, 1, 100), (65_500, 1, 100, 1), (1, 8188, 1, 1), (8188, 1, 1, 1), (1000, 4, 50, 1),
    ])
    func `pictures one pixel thin keep their run of light`(shape: (Int, Int, Int, Int)) {
        // Slow waves along the long side, so that every target sample has a known level.
        let length = max(shape.0, shape.1)
        let plane = makePlane(width: shape.0, height: shape.1) { x, y in
            UInt8((128 + 100 * sin(6 * Double(shape.0 > shape.1 ? x : y) / Double(length))).rounded())
        }
        let result = samples(resampled(plane, to: shape.2, shape.3))
        let expected = ReferenceResampler.resample(
            samples(plane).map(Double.init), width: shape.0, horizontal: .whole(shape.0, to: shape.2),
            vertical: .whole(shape.1, to: shape.3))
        #expect(result.count == expected.count)
        #expect(zip(result, expected).allSatisfy { abs(Double($0) - max(0, min(255, $1))) < 1 })
    }
}
