import Pixels

/// What the tests of this module make planes from, and take them apart with.

func makePlane<Sample>(width: Int, height: Int, _ sample: (_ x: Int, _ y: Int) -> Sample) -> SamplePlane<
    Sample
> {
    var plane = SamplePlane<Sample>(width: width, height: height)
    for y in 0..<height {
        var row = plane.mutableRow(y)
        for x in 0..<width { row[x] = sample(x, y) }
    }
    return plane
}

func samples<Sample>(_ plane: borrowing SamplePlane<Sample>) -> [Sample] {
    let span = plane.samples
    return span.indices.map { span[$0] }
}

func noise(width: Int, height: Int, seed: UInt64) -> Plane {
    var random = SplitMix(state: seed)
    return makePlane(width: width, height: height) { _, _ in UInt8(truncatingIfNeeded: random.next()) }
}

/// Something like a photo: soft gradients, edges, texture and a little noise.
func scene(width: Int, height: Int) -> Plane {
    var random = SplitMix(state: 7)
    return makePlane(width: width, height: height) { x, y in
        let gradient = 60 + 80 * x / width + 40 * y / height
        let disc =
            (x - width / 3) * (x - width / 3) + (y - height / 2) * (y - height / 2) < width * width / 25
            ? 60 : 0
        let texture = (x * x / 64 + y * 3) % 23
        return UInt8(min(255, gradient + disc + texture + Int(random.next() % 5)))
    }
}

func resampled(_ plane: borrowing Plane, to width: Int, _ height: Int) -> Plane {
    resampled(
        plane, horizontal: .whole(plane.width, to: .every(width)),
        vertical: .whole(plane.height, to: .every(height)))
}

func resampled(_ plane: borrowing Plane, horizontal: Axis, vertical: Axis) -> Plane {
    var resampler = PlaneResampler(PlaneFilter(horizontal: horizontal, vertical: vertical))
    for y in 0..<plane.height { resampler.push(plane.row(y)) }
    return resampler.finish()
}

func resampled(_ plane: borrowing LinearPlane, horizontal: Axis, vertical: Axis) -> LinearPlane {
    var resampler = LinearResampler(PlaneFilter(horizontal: horizontal, vertical: vertical))
    for y in 0..<plane.height { resampler.push(plane.row(y)) }
    return resampler.finish()
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
